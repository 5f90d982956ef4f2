//! The places of values in texts.

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{Event, Parser, Span};
use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::parse;
use crate::pointer::{Pointer, index_of};
use crate::problem::{Position, Problem};

/// Maximum size of a YAML text whose places are looked up, in bytes.
const MAX_YAML: usize = 16 << 20;
/// Maximum number of bytes that are read to look up the places of values in a JSON text.
const MAX_JSON: usize = 1 << 30;

/// The steps that lead from a value to a wanted one, and its number among the wanted ones.
type Wanted<'p> = (usize, &'p [String]);

/// Gives problems of a text their places in it, with one reading of the text.
pub(crate) fn place<'p>(text: &str, problems: impl IntoIterator<Item = &'p mut Problem>) {
    let problems: Vec<&mut Problem> =
        problems.into_iter().filter(|problem| !problem.pointer.is_root()).collect();
    let pointers: Vec<&Pointer> = problems.iter().map(|problem| &problem.pointer).collect();
    let found = positions(text, &pointers);
    for (problem, position) in problems.into_iter().zip(found) {
        problem.position = position;
    }
}

/// Returns the places of values in a text, in the order of their pointers; `None` for each that the
/// text does not have. A value that an alias of YAML stands for has the place of the alias.
#[must_use]
pub fn positions(text: &str, pointers: &[&Pointer]) -> Vec<Option<Position>> {
    let mut found = vec![None; pointers.len()];
    if pointers.is_empty() {
        return found;
    }
    let wanted: Vec<Wanted<'_>> =
        pointers.iter().map(|pointer| pointer.steps()).enumerate().collect();
    let whole = parse::without_mark(text);
    if parse::is_json(text)
        && let Ok(value) = serde_json::from_str(whole)
    {
        let mut json = Json { text, left: MAX_JSON, found: &mut found };
        json.visit(value, wanted);
    } else if text.len() <= MAX_YAML {
        Yaml { found: &mut found, open: Vec::new() }.read(whole, &wanted);
    }
    found
}

/// Looks up values in JSON. Only values on the way to wanted ones are read.
struct Json<'t> {
    text: &'t str,
    /// The number of bytes that may still be read.
    left: usize,
    found: &'t mut [Option<Position>],
}

impl<'t> Json<'t> {
    fn visit(&mut self, value: &'t RawValue, wanted: Vec<Wanted<'_>>) {
        let mut inside: HashMap<&str, Vec<Wanted<'_>>> = HashMap::new();
        for (number, steps) in wanted {
            match steps.split_first() {
                Some((first, rest)) => inside.entry(first).or_default().push((number, rest)),
                None => self.found(number, value),
            }
        }
        if inside.is_empty() || self.left < value.get().len() {
            return;
        }
        self.left -= value.get().len();
        let mut next = Vec::new();
        if value.get().starts_with('[') {
            let items: Vec<&RawValue> = serde_json::from_str(value.get()).unwrap_or_default();
            for (step, wanted) in inside {
                next.extend(index_of(step).and_then(|at| Some((*items.get(at)?, wanted))));
            }
        } else {
            let names = Names { wanted: inside, found: HashMap::new() };
            let mut reader = serde_json::Deserializer::from_str(value.get());
            let Ok(found) = reader.deserialize_map(names) else { return };
            next.extend(found);
        }
        for (value, wanted) in next {
            self.visit(value, wanted);
        }
    }

    fn found(&mut self, number: usize, value: &RawValue) {
        // Both are parts of one text.
        let at = (value.get().as_ptr() as usize).checked_sub(self.text.as_ptr() as usize);
        if let (Some(place), Some(at)) = (self.found.get_mut(number), at) {
            *place = Some(Position::of_byte(self.text, at));
        }
    }
}

/// Reads the fields of a JSON object that have wanted names. Of fields with the same name, the last
/// one counts.
struct Names<'p, 't> {
    wanted: HashMap<&'p str, Vec<Wanted<'p>>>,
    found: HashMap<&'p str, &'t RawValue>,
}

impl<'p, 'de> Visitor<'de> for Names<'p, 'de> {
    type Value = Vec<(&'de RawValue, Vec<Wanted<'p>>)>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
        while let Some((name, value)) = map.next_entry::<Cow<'de, str>, &RawValue>()? {
            if let Some((name, _)) = self.wanted.get_key_value(&*name) {
                self.found.insert(name, value);
            }
        }
        let Self { mut wanted, found } = self;
        let found = found.into_iter();
        Ok(found.filter_map(|(name, value)| Some((value, wanted.remove(name)?))).collect())
    }
}

/// Looks up values in YAML.
struct Yaml<'f, 'p> {
    found: &'f mut [Option<Position>],
    open: Vec<Collection<'p>>,
}

/// A mapping or a sequence around the present place.
struct Collection<'p> {
    /// The wanted values in it.
    wanted: Vec<Wanted<'p>>,
    next: Next,
}

/// The part of a collection that comes next.
enum Next {
    Key,
    /// The value of a key; keys that are no texts have none.
    Value(Option<String>),
    Item(usize),
}

impl<'p> Yaml<'_, 'p> {
    /// Reads the first document.
    fn read(mut self, text: &str, wanted: &[Wanted<'p>]) {
        // A text with mistakes was refused before.
        for (event, span) in Parser::new_from_str(text).map_while(Result::ok) {
            match event {
                Event::Scalar(text, ..) => {
                    self.begin(&span, wanted, false);
                    self.end(Some(text));
                }
                Event::Alias(_) => {
                    self.begin(&span, wanted, true);
                    self.end(None);
                }
                Event::MappingStart(..) => {
                    let wanted = self.begin(&span, wanted, false);
                    self.open.push(Collection { wanted, next: Next::Key });
                }
                Event::SequenceStart(..) => {
                    let wanted = self.begin(&span, wanted, false);
                    self.open.push(Collection { wanted, next: Next::Item(0) });
                }
                Event::MappingEnd | Event::SequenceEnd => {
                    self.open.pop();
                    self.end(None);
                }
                Event::DocumentEnd => return,
                _ => {}
            }
        }
    }

    /// Notes the place of a value, and returns the wanted ones in it. An alias is the place of those, too.
    fn begin(&mut self, span: &Span, top: &[Wanted<'p>], is_alias: bool) -> Vec<Wanted<'p>> {
        let mut inside = Vec::new();
        let mut note = |(number, steps): Wanted<'p>| {
            if !steps.is_empty() && !is_alias {
                inside.push((number, steps));
            } else if let Some(place) = self.found.get_mut(number) {
                *place = Some(Position { line: span.start.line(), column: span.start.col() + 1 });
            }
        };
        match self.open.last() {
            None => top.iter().copied().for_each(&mut note),
            Some(around) => {
                let is_here = |step: &str| match &around.next {
                    Next::Key => false,
                    Next::Value(name) => name.as_deref() == Some(step),
                    Next::Item(at) => index_of(step) == Some(*at),
                };
                for (number, steps) in &around.wanted {
                    if let Some((_, rest)) = steps.split_first().filter(|(step, _)| is_here(step)) {
                        note((*number, rest));
                    }
                }
            }
        }
        inside
    }

    /// Goes on after a value. `text` is the text of a scalar one.
    fn end(&mut self, text: Option<Cow<'_, str>>) {
        let Some(around) = self.open.last_mut() else { return };
        around.next = match around.next {
            Next::Key if around.wanted.is_empty() => Next::Value(None),
            Next::Key => Next::Value(text.map(Cow::into_owned)),
            Next::Value(_) => Next::Key,
            Next::Item(at) => Next::Item(at + 1),
        };
    }
}
