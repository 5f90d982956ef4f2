//! Reads the files of a description, one after the other.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value;
use url::Url;

use crate::positions::place;
use crate::reference::{self, Reference};
use crate::request::shortened_text;
use crate::resolve::{Anchors, anchors_of};
use crate::{Loss, Overlay, Pointer, Problem, Version, convert, parse};

/// Maximum number of files of a description.
pub const MAX_FILES: usize = 1_000;
/// Maximum size of all files of a description in bytes.
pub const MAX_BYTES: usize = 64 << 20;
/// Maximum number of problems that are reported.
const MAX_PROBLEMS: usize = 100;
/// Maximum length of the title of a description, a tag or an operation in characters.
pub(crate) const MAX_TITLE: usize = 200;
/// The name of an uploaded text among the files.
const UPLOADED: &str = "openapi";

/// A file that the description refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// The name that it has among the files.
    pub name: String,
    /// The address to fetch.
    pub url: Url,
}

/// A description that was read.
#[derive(Clone, Debug)]
pub struct Description {
    /// The version of the specification.
    pub version: Version,
    /// The title; empty if there is none.
    pub title: String,
    /// The name of the file that the others belong to.
    pub root: String,
    /// The texts of all files as they were read, by name. A file below the folder of the first one
    /// has its path in there as name, any other one its address.
    pub texts: BTreeMap<String, String>,
    /// The parsed files, by name. The first one has the changes of the overlays, and is converted to
    /// OpenAPI 3.0 if it is Swagger 2.0.
    pub values: BTreeMap<String, Value>,
    /// The anchors of the files, by name.
    pub(crate) anchors: BTreeMap<String, Anchors>,
    /// The address of the first file.
    pub(crate) base: Option<Url>,
    /// Mistakes that leave the rest usable, such as references to nothing.
    pub problems: Vec<Problem>,
    /// The size of all texts in bytes.
    pub(crate) size: usize,
}

/// Reads a description whose files arrive one by one.
#[derive(Debug)]
pub struct Loader {
    /// The address of the first file; `None` for a text that was uploaded.
    base: Option<Url>,
    root: String,
    texts: BTreeMap<String, String>,
    values: BTreeMap<String, Value>,
    /// The files that are not there yet, each with a reference to it.
    wanted: BTreeMap<String, (Url, Place)>,
    /// The files that cannot be read.
    lost: HashSet<String>,
    bytes: usize,
    overlays: Vec<Overlay>,
    /// The first file without the changes of the overlays, if there are any.
    as_read: Option<Value>,
    /// The actions of overlays that change nothing.
    warnings: Vec<Problem>,
    failures: Vec<Failure>,
}

/// A mistake that leaves nothing usable.
#[derive(Debug)]
enum Failure {
    /// One whose place is known.
    Placed(Problem),
    /// One whose place in the text is looked up at the end, together with those of others.
    At(Place, String),
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Place {
    file: String,
    pointer: Pointer,
}

/// The file that a reference leads to.
enum Target {
    Here,
    File(String, Url),
    /// A text that was uploaded has no files beside it.
    Nowhere,
}

impl Loader {
    /// Begins with the address of the first file, or with none for a text that was uploaded.
    #[must_use]
    pub fn new(base: Option<Url>) -> Self {
        let last = base.as_ref().and_then(|url| url.path_segments()?.next_back());
        let root = last.filter(|name| !name.is_empty()).unwrap_or(UPLOADED).to_owned();
        Self {
            base,
            root,
            texts: BTreeMap::new(),
            values: BTreeMap::new(),
            wanted: BTreeMap::new(),
            lost: HashSet::new(),
            bytes: 0,
            overlays: Vec::new(),
            as_read: None,
            warnings: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Applies overlays, one after the other, to the first file as soon as it is added: before its
    /// references are followed, and before Swagger 2.0 is converted. Its text stays the one that was
    /// read.
    #[must_use]
    pub fn overlaid(self, overlays: Vec<Overlay>) -> Self {
        Self { overlays, ..self }
    }

    /// Returns the name of the first file.
    #[must_use]
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Returns the size of the files that were added, in bytes.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.bytes
    }

    /// Adds the text of the first file.
    pub fn add(&mut self, text: impl Into<String>) {
        let url = self.base.clone();
        self.add_file(self.root.clone(), url.as_ref(), text.into());
    }

    /// Returns files that are needed, at most `most`, and none if all are there. Their texts or their
    /// failures come next.
    #[must_use]
    pub fn wanted(&self, most: usize) -> Vec<Wanted> {
        let wanted = self.wanted.iter().take(most);
        wanted.map(|(name, (url, _))| Wanted { name: name.clone(), url: url.clone() }).collect()
    }

    /// Adds the text of a file that was needed, which came from an address.
    pub fn found(&mut self, wanted: &Wanted, url: &Url, text: String) {
        if self.wanted.remove(&wanted.name).is_some() {
            self.add_file(wanted.name.clone(), Some(url), text);
        }
    }

    /// Notes that a file cannot be read, and why.
    pub fn lost(&mut self, wanted: &Wanted, reason: &str) {
        if let Some((url, place)) = self.wanted.remove(&wanted.name) {
            self.fail(&place, format!("{url} cannot be read: {reason}"));
            self.lost.insert(wanted.name.clone());
        }
    }

    fn fail(&mut self, place: &Place, message: String) {
        if self.failures.len() < MAX_PROBLEMS {
            self.failures.push(Failure::At(place.clone(), message));
        }
    }

    /// Returns mistakes with their places in the texts.
    fn problems(&self, failures: Vec<Failure>) -> Vec<Problem> {
        let (mut files, mut problems) = (Vec::new(), Vec::new());
        for failure in failures {
            let (file, problem) = match failure {
                Failure::Placed(problem) => (None, problem),
                Failure::At(place, message) => {
                    let text = self.texts.get(&place.file).filter(|_| self.is_in_text(&place));
                    let (file, pointer) = (self.shown(&place.file), place.pointer);
                    let problem = Problem { file, position: None, pointer, message };
                    (text.map(|_| place.file), problem)
                }
            };
            files.push(file);
            problems.push(problem);
        }
        let mut unplaced: HashMap<String, Vec<&mut Problem>> = HashMap::new();
        for (file, problem) in files.into_iter().zip(&mut problems) {
            if let Some(file) = file {
                unplaced.entry(file).or_default().push(problem);
            }
        }
        for (file, problems) in unplaced {
            if let Some(text) = self.texts.get(&file) {
                place(text, problems);
            }
        }
        problems
    }

    /// Returns `true` if a text has the value at a place, which is not so for one from an overlay.
    fn is_in_text(&self, place: &Place) -> bool {
        let Place { file, pointer } = place;
        let is_changed = || {
            let (as_read, value) = (self.as_read.as_ref()?, self.values.get(file)?);
            Some(*file == self.root && pointer.find(as_read) != pointer.find(value))
        };
        !pointer.is_root() && !is_changed().unwrap_or(false)
    }

    /// Returns the name of a file as people know it.
    fn shown(&self, file: &str) -> String {
        let is_uploaded = self.base.is_none() && file == self.root;
        if is_uploaded { String::new() } else { file.to_owned() }
    }

    fn add_file(&mut self, name: String, url: Option<&Url>, text: String) {
        let whole = Place { file: name.clone(), pointer: Pointer::default() };
        self.bytes += text.len();
        if self.bytes > MAX_BYTES {
            let limit = MAX_BYTES >> 20;
            self.fail(&whole, format!("found more than {limit} MiB in all files together"));
            self.lost.insert(name);
            return;
        }
        match parse(&self.shown(&name), &text) {
            Ok(mut value) => {
                self.texts.insert(name.clone(), text);
                if name == self.root && !self.overlay(&mut value) {
                    self.lost.insert(name);
                    return;
                }
                self.want_files_of(&name, url, &value);
                self.values.insert(name, value);
            }
            Err(problem) => {
                self.failures.push(Failure::Placed(problem));
                self.lost.insert(name);
            }
        }
    }

    /// Applies the overlays to the first file. Returns `false` if one of them fails.
    fn overlay(&mut self, value: &mut Value) -> bool {
        if !self.overlays.is_empty() {
            self.as_read = Some(value.clone());
        }
        for overlay in &self.overlays {
            match overlay.apply(value) {
                Ok(warnings) => self.warnings.extend(warnings),
                Err(problems) => self.failures.extend(problems.into_iter().map(Failure::Placed)),
            }
        }
        self.failures.is_empty()
    }

    fn want_files_of(&mut self, file: &str, url: Option<&Url>, value: &Value) {
        let ids = ids_of(value);
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        reference::each(value, |reference| {
            let (address, _) = split(reference.target);
            if !address.is_empty() && !ids.contains(address) && seen.insert(address) {
                found.push((address, reference.pointer()));
            }
        });
        for (address, pointer) in found {
            let place = Place { file: file.to_owned(), pointer };
            match self.target(url, address) {
                Ok(Target::Here) => {}
                Ok(Target::Nowhere) => {
                    let message = format!(
                        "found the file {address:?}, and an uploaded text has no other files; \
                         allowed: a complete address"
                    );
                    self.fail(&place, message);
                }
                Ok(Target::File(name, url)) => self.want(name, url, place),
                Err(reason) => self.fail(&place, format!("found {address:?}: {reason}")),
            }
        }
    }

    fn want(&mut self, name: String, url: Url, place: Place) {
        let is_known = self.values.contains_key(&name) || self.lost.contains(&name);
        if is_known || name == place.file || self.wanted.contains_key(&name) {
            return;
        }
        if self.values.len() + self.lost.len() + self.wanted.len() >= MAX_FILES {
            self.fail(&place, format!("found more than {MAX_FILES} files"));
            return;
        }
        self.wanted.insert(name, (url, place));
    }

    /// Returns the file that an address in a file leads to.
    fn target(&self, from: Option<&Url>, address: &str) -> Result<Target, String> {
        let joined = match from {
            Some(url) => url.join(address),
            None => Url::parse(address),
        };
        let mut url = match joined {
            Ok(url) => url,
            Err(url::ParseError::RelativeUrlWithoutBase) => return Ok(Target::Nowhere),
            Err(error) => return Err(format!("this is no address: {error}")),
        };
        // A file of this machine may refer to others of it; what comes from elsewhere may not.
        let is_local = url.scheme() == "file" && from.is_some_and(|from| from.scheme() == "file");
        if !is_local && !matches!(url.scheme(), "http" | "https") {
            return Err("allowed: an address that begins with http:// or https://".to_owned());
        }
        url.set_fragment(None);
        match from == Some(&url) {
            true => Ok(Target::Here),
            false => Ok(Target::File(name_of(self.base.as_ref(), &self.root, &url), url)),
        }
    }

    /// Returns the description once no file is wanted any more.
    ///
    /// # Errors
    /// Returns the problems that leave nothing usable: a file that cannot be read or parsed, an
    /// unknown version, or no object at the top.
    pub fn finish(mut self) -> Result<Description, Vec<Problem>> {
        let whole = Place { file: self.root.clone(), pointer: Pointer::default() };
        let Some(root) = self.values.get(&self.root) else {
            if self.failures.is_empty() {
                self.fail(&whole, "found no text".to_owned());
            }
            return Err(self.failed());
        };
        let version = match root {
            Value::Object(_) => Version::of(root),
            _ => Err(("", "found no object, allowed: an OpenAPI description".to_owned())),
        };
        let version = match version {
            Ok(version) if self.failures.is_empty() => version,
            Ok(_) => return Err(self.failed()),
            Err((field, message)) => {
                let pointer = match field {
                    "" => Pointer::default(),
                    field => Pointer::default().child(field),
                };
                self.fail(&Place { pointer, ..whole }, message);
                return Err(self.failed());
            }
        };
        let title = title_of(root);
        let anchors: BTreeMap<String, Anchors> =
            self.values.iter().map(|(name, value)| (name.clone(), anchors_of(value))).collect();
        let mut problems = std::mem::take(&mut self.warnings);
        problems.extend(self.references_to_nothing(&anchors));
        if version == Version::V20 {
            problems.extend(self.convert());
        }
        let Self { root, texts, values, base, .. } = self;
        let size = texts.values().map(String::len).sum();
        Ok(Description { version, title, root, texts, values, anchors, base, problems, size })
    }

    fn failed(mut self) -> Vec<Problem> {
        let failures = std::mem::take(&mut self.failures);
        self.problems(failures)
    }

    /// Converts the first file to OpenAPI 3.0. Returns what is missing in it.
    fn convert(&mut self) -> Vec<Problem> {
        let Some(root) = self.values.get(&self.root) else { return Vec::new() };
        let (converted, losses) = convert(root);
        let of = |Loss { pointer, message }| {
            Failure::At(Place { file: self.root.clone(), pointer }, message)
        };
        let problems = self.problems(losses.into_iter().take(MAX_PROBLEMS).map(of).collect());
        self.values.insert(self.root.clone(), converted);
        problems
    }

    /// Returns the references that lead to nothing.
    fn references_to_nothing(&self, anchors: &BTreeMap<String, Anchors>) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (file, value) in &self.values {
            let ids = ids_of(value);
            let mut known: HashMap<&str, bool> = HashMap::new();
            let mut lost: Vec<(String, Pointer)> = Vec::new();
            let mut told = BTreeSet::new();
            reference::each(value, |reference: &Reference<'_, '_>| {
                let leads = *known
                    .entry(reference.target)
                    .or_insert_with(|| self.leads(file, &ids, anchors, reference.target));
                if !leads && told.len() < MAX_PROBLEMS && told.insert(reference.target.to_owned()) {
                    lost.push((reference.target.to_owned(), reference.pointer()));
                }
            });
            for (target, pointer) in lost {
                if problems.len() < MAX_PROBLEMS {
                    let place = Place { file: file.clone(), pointer };
                    problems.push(Failure::At(place, format!("{target:?} leads to nothing")));
                }
            }
        }
        self.problems(problems)
    }

    /// Returns whether a reference in a file leads to a value.
    fn leads(
        &self,
        file: &str,
        ids: &HashSet<&str>,
        anchors: &BTreeMap<String, Anchors>,
        target: &str,
    ) -> bool {
        let (address, fragment) = split(target);
        if ids.contains(address) || ids.contains(target) {
            return true;
        }
        let file = match address {
            "" => Some(file.to_owned()),
            _ => self.file_of(file, address),
        };
        let value =
            file.as_ref().and_then(|name| Some((self.values.get(name)?, anchors.get(name))));
        let Some((value, anchors)) = value else { return false };
        match Pointer::of_fragment(fragment) {
            Some(pointer) => pointer.find(value).is_some(),
            None => anchors.is_some_and(|anchors| anchors.contains_key(fragment)),
        }
    }

    fn file_of(&self, file: &str, address: &str) -> Option<String> {
        let url = address_of(self.base.as_ref(), &self.root, file);
        match self.target(url.as_ref(), address) {
            Ok(Target::File(name, _)) => Some(name),
            Ok(Target::Here) => Some(file.to_owned()),
            _ => None,
        }
    }
}

/// Returns the title of a description.
pub(crate) fn title_of(root: &Value) -> String {
    let title = root.pointer("/info/title").and_then(Value::as_str).unwrap_or_default();
    shortened_text(title, MAX_TITLE)
}

/// Returns the name of a file among the others.
pub(crate) fn name_of(base: Option<&Url>, root: &str, url: &Url) -> String {
    let Some(base) = base else { return url.to_string() };
    if base == url {
        return root.to_owned();
    }
    let relative = base.make_relative(url);
    let is_below = |path: &String| !path.starts_with("..") && !path.is_empty();
    relative.filter(is_below).unwrap_or_else(|| url.to_string())
}

/// Returns the address of a file; `None` for a text that was uploaded.
pub(crate) fn address_of(base: Option<&Url>, root: &str, file: &str) -> Option<Url> {
    match base {
        Some(base) if file == root => Some(base.clone()),
        Some(base) => base.join(file).ok(),
        None => Url::parse(file).ok(),
    }
}

/// Splits a reference into its address and its fragment.
pub(crate) fn split(target: &str) -> (&str, &str) {
    target.split_once('#').unwrap_or((target, ""))
}

/// Returns the addresses that schemas of a file give themselves.
fn ids_of(value: &Value) -> HashSet<&str> {
    fn collect<'v>(value: &'v Value, ids: &mut HashSet<&'v str>) {
        match value {
            Value::Object(fields) => {
                ids.extend(fields.get("$id").and_then(Value::as_str));
                fields.values().for_each(|value| collect(value, ids));
            }
            Value::Array(items) => items.iter().for_each(|value| collect(value, ids)),
            _ => {}
        }
    }
    let mut ids = HashSet::new();
    collect(value, &mut ids);
    ids
}
