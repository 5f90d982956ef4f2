//! Pages as the index takes them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use bindery_content::document::{OpenApi, Reference};
use bindery_content::evaluation::{Mode, evaluate_document_with};
use bindery_content::reference::{ContentRef, NoLookup, ParseContext};
use bindery_content::{Document, text};
use bindery_expression::Evaluator;
use bindery_model::{PageId, Result, ReusableContentId};
use bindery_revision::{Content, Hash, Objects, PageBody, PageKind, PageRecord, Record, Variable};
use bindery_search::{Condition, PageEntry, Section, sections};

use super::conditions;
use super::described::Described;
use crate::content::expressions;
use crate::content::openapi::{BlockSpecs, CurrentSpecs, markdown};
use crate::content::snapshot::broken_object;
use crate::content::texts::{self, Paths};

/// Maximum size of the text of an operation that is searched, in bytes.
const MAX_OPERATION: usize = 64 << 10;

/// The variable of a page that states its boost.
const BOOST: &str = "searchBoost";

/// Returns the factor by which a page gains in searches.
fn boost(record: &PageRecord) -> f32 {
    match record.variables.get(BOOST) {
        Some(Variable::Number(boost)) if boost.is_finite() => *boost as f32,
        _ => 1.0,
    }
}

/// Converts the pages of one content.
pub(super) struct Entries<'a> {
    content: &'a Content,
    objects: &'a dyn Objects,
    language: Option<&'a str>,
    /// The descriptions that blocks name.
    specs: BlockSpecs<'a>,
    /// The pages with operations that were converted.
    described: RefCell<Described>,
    /// Reusable contents that were read before.
    reusable: RefCell<HashMap<ReusableContentId, Option<Arc<Document>>>>,
}

impl<'a> Entries<'a> {
    pub(super) fn new(
        content: &'a Content,
        objects: &'a dyn Objects,
        language: Option<&'a str>,
        specs: CurrentSpecs,
    ) -> Self {
        let specs = BlockSpecs::new(content, objects, specs);
        let (reusable, described) = (RefCell::default(), RefCell::default());
        Self { content, objects, language, specs, reusable, described }
    }

    /// Returns the pages with operations that were converted.
    pub(super) fn take_described(&self) -> Described {
        self.described.take()
    }

    /// Returns a page for the index; `None` if no reader finds it there. `above` are the pages above
    /// it, the outermost first.
    pub(super) fn entry(
        &self,
        record: &PageRecord,
        above: &[PageRecord],
    ) -> Result<Option<PageEntry>> {
        let is_hidden = record.hidden || record.no_index || above.iter().any(|page| page.hidden);
        if is_hidden || !matches!(record.kind, PageKind::Document) {
            return Ok(None);
        }
        let mut conditions = Vec::new();
        for page in above.iter().chain([record]) {
            let Some(condition) = &page.condition else { continue };
            let variables = &self.content.variables;
            conditions.extend(conditions::of_page(condition, variables, &page.variables));
        }
        let slugs: Vec<&str> =
            above.iter().chain([record]).map(|page| page.slug.as_str()).collect();
        Ok(Some(PageEntry {
            id: record.id,
            path: slugs.join("/"),
            title: record.title.clone(),
            description: record.description.clone().unwrap_or_default(),
            ancestors: above.iter().map(|page| page.title.clone()).collect(),
            language: self.language.map(str::to_owned),
            boost: boost(record),
            conditions,
            sections: self.sections(record)?,
        }))
    }

    fn sections(&self, record: &PageRecord) -> Result<Vec<Section>> {
        let Some(body) = &record.body else { return Ok(Vec::new()) };
        let document = self.parse(body)?;
        let context = expressions::context(&self.content.variables, &record.variables);
        let evaluator = Evaluator::new(&context);
        let evaluate = |document: &Document| {
            evaluate_document_with(document, &evaluator, Mode::DeterministicKeepingUnmet)
        };
        let includes = |reference: &Reference| {
            let found = self.reusable(reference)?;
            Some(Arc::new(evaluate(&found)))
        };
        let operations = |block: &OpenApi| {
            if record.computed.is_none() {
                self.note(record.id, &block.reference.target);
            }
            self.operation(block)
        };
        let mut found = sections(&evaluate(&document), &includes, &operations);
        for section in &mut found {
            let conditions = section.conditions.iter().map(|condition| match condition {
                Condition::Expression(text) => conditions::encode(text, &record.variables),
                Condition::Hidden => Some(Condition::Hidden),
            });
            section.conditions = conditions.collect::<Option<_>>().unwrap_or_else(|| {
                // A part whose condition cannot be encoded is found by nobody.
                vec![Condition::Hidden]
            });
        }
        Ok(found)
    }

    /// Notes that a page contains an operation of a description.
    fn note(&self, page: PageId, target: &ContentRef) {
        let mut described = self.described.borrow_mut();
        match target {
            ContentRef::File { .. } => described.add_file(page),
            target => {
                if let Some(name) = CurrentSpecs::name_in(target) {
                    described.add_spec(page, name, self.specs.specs());
                }
            }
        }
    }

    /// Returns the title and the text of a part of a specification.
    fn operation(&self, block: &OpenApi) -> Option<(String, String)> {
        let description = self.specs.read(&block.reference.target, &block.part)?;
        let text = markdown(&description, &block.part, MAX_OPERATION)?;
        let context = ParseContext { path: texts::NOWHERE, lookup: &NoLookup };
        let text = text::plain(&bindery_content::markdown::parse(&text, &context));
        let (title, text) = text.split_once('\n').unwrap_or((&text, ""));
        Some((title.to_owned(), text.to_owned()))
    }

    fn parse(&self, body: &Hash) -> Result<Document> {
        let bytes = self.objects.get(body).map_err(broken_object)?;
        let body = PageBody::decode(&bytes).map_err(broken_object)?;
        Ok(texts::parse(&body, &Paths::of([&body])))
    }

    /// Returns the document of a reusable content of this space.
    fn reusable(&self, reference: &Reference) -> Option<Arc<Document>> {
        let ContentRef::ReusableContent { reusable_content, space: None } = &reference.target
        else {
            return None;
        };
        let id = ReusableContentId::parse(reusable_content)?;
        if let Some(known) = self.reusable.borrow().get(&id) {
            return known.clone();
        }
        let record = self.content.reusable(self.objects, id).ok().flatten();
        let body = record.and_then(|record| record.body);
        let found = body.and_then(|body| self.parse(&body).ok()).map(Arc::new);
        self.reusable.borrow_mut().insert(id, found.clone());
        found
    }
}
