//! The JSON of nodes, marks, slices and steps, as ProseMirror writes it.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::node::{Attrs, Fragment, Mark, Marks, Node};
use crate::replace::Slice;
use crate::schema::{MarkType, NodeType};
use crate::step::{Change, Step};
use crate::text::Text;
use crate::{MAX_DEPTH, MAX_MARK_CHANGES};

fn invalid<T>(what: impl Into<String>) -> Result<T> {
    Err(Error::Json(what.into()))
}

impl Node {
    /// Reads a node whose content is complete and permitted by the schema.
    ///
    /// # Errors
    /// Returns an error if the JSON is not that of a valid node.
    pub fn from_json(json: &Value) -> Result<Self> {
        let node = read_node(json, 0)?;
        node.check()?;
        Ok(node)
    }

    /// Returns the JSON of the node.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!(self)
    }
}

impl Step {
    /// Reads a step.
    ///
    /// # Errors
    /// Returns an error if the JSON is not that of a step, or if its content cannot be in a
    /// document.
    pub fn from_json(json: &Value) -> Result<Self> {
        read_step(json, true)
    }

    /// Returns the JSON of the step.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!(self)
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut json = serializer.serialize_map(None)?;
        json.serialize_entry("type", self.kind().name())?;
        if !self.attrs().is_empty() {
            json.serialize_entry("attrs", &**self.attrs())?;
        }
        if !self.content().is_empty() {
            json.serialize_entry("content", self.content())?;
        }
        if !self.marks().is_empty() {
            json.serialize_entry("marks", &**self.marks())?;
        }
        if let Some(text) = self.as_text() {
            json.serialize_entry("text", text.as_str())?;
        }
        json.end()
    }
}

impl Serialize for Fragment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl Serialize for Mark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut json = serializer.serialize_map(None)?;
        json.serialize_entry("type", self.kind.name())?;
        if !self.attrs.is_empty() {
            json.serialize_entry("attrs", &*self.attrs)?;
        }
        json.end()
    }
}

impl Serialize for Slice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut json = serializer.serialize_map(None)?;
        json.serialize_entry("content", &self.content)?;
        for (name, open) in [("openStart", self.open_start), ("openEnd", self.open_end)] {
            if open > 0 {
                json.serialize_entry(name, &open)?;
            }
        }
        json.end()
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut json = serializer.serialize_map(None)?;
        json.serialize_entry("stepType", self.0.kind())?;
        match &self.0 {
            Change::Replace { from, to, .. } => positions(&mut json, &[("from", from), ("to", to)]),
            Change::ReplaceAround { from, to, gap_from, gap_to, insert, .. } => positions(
                &mut json,
                &[
                    ("from", from),
                    ("to", to),
                    ("gapFrom", gap_from),
                    ("gapTo", gap_to),
                    ("insert", insert),
                ],
            ),
            Change::AddMark { from, to, mark } | Change::RemoveMark { from, to, mark } => {
                json.serialize_entry("mark", mark)?;
                positions(&mut json, &[("from", from), ("to", to)])
            }
            Change::Marks(steps) => json.serialize_entry("steps", steps),
            Change::SetAttr { at, name, value } => {
                positions(&mut json, &[("pos", at)])?;
                json.serialize_entry("attr", name)?;
                json.serialize_entry("value", value)
            }
        }?;
        if let Change::Replace { slice, is_structure, .. }
        | Change::ReplaceAround { slice, is_structure, .. } = &self.0
        {
            if slice.size() > 0 {
                json.serialize_entry("slice", slice)?;
            }
            if *is_structure {
                json.serialize_entry("structure", &true)?;
            }
        }
        json.end()
    }
}

impl Change {
    /// Returns the name of the kind of step.
    const fn kind(&self) -> &'static str {
        match self {
            Self::Replace { .. } => "replace",
            Self::ReplaceAround { .. } => "replaceAround",
            Self::AddMark { .. } => "addMark",
            Self::RemoveMark { .. } => "removeMark",
            Self::Marks(_) => "markSet",
            Self::SetAttr { .. } => "attr",
        }
    }
}

fn positions<M: SerializeMap>(json: &mut M, entries: &[(&str, &usize)]) -> Result<(), M::Error> {
    entries.iter().try_for_each(|(name, at)| json.serialize_entry(name, at))
}

fn attrs_of(json: &Value) -> Result<Option<&Attrs>> {
    match json.get("attrs") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(attrs)) => Ok(Some(attrs)),
        Some(_) => invalid("attrs: found no object"),
    }
}

fn read_mark(json: &Value) -> Result<Mark> {
    let name = json.get("type").and_then(Value::as_str).unwrap_or_default();
    let Some(kind) = MarkType::of_name(name) else {
        return invalid(format!("there is no mark {name:?}"));
    };
    match kind.complete(attrs_of(json)?) {
        Some(attrs) => Ok(Mark { kind, attrs }),
        None => invalid(format!("a required attribute of the mark {name:?} is missing")),
    }
}

fn read_node(json: &Value, depth: usize) -> Result<Node> {
    if depth > MAX_DEPTH {
        return Err(Error::Limit("60 nodes within each other"));
    }
    let name = json.get("type").and_then(Value::as_str).unwrap_or_default();
    let Some(kind) = NodeType::of_name(name) else {
        return invalid(format!("there is no node {name:?}"));
    };
    let mut marks = Marks::default();
    for mark in json.get("marks").and_then(Value::as_array).into_iter().flatten() {
        let mark = read_mark(mark)?;
        let more = mark.add_to(&marks);
        if more.last() != Some(&mark) || more.len() != marks.len() + 1 {
            return invalid(format!("the marks of a node {name:?} do not go together"));
        }
        marks = more;
    }
    if kind == NodeType::Text {
        let text = json.get("text").and_then(Value::as_str).filter(|text| !text.is_empty());
        let Some(text) = text else { return invalid("a text has no characters") };
        return Ok(Node::text(Text::new(text), marks));
    }
    let Some(attrs) = kind.complete(attrs_of(json)?) else {
        return invalid(format!("a required attribute of the node {name:?} is missing"));
    };
    let content = read_fragment(json.get("content"), depth + 1)?;
    Ok(Node::new(kind, attrs, content, marks))
}

fn read_fragment(json: Option<&Value>, depth: usize) -> Result<Fragment> {
    match json {
        None | Some(Value::Null) => Ok(Fragment::default()),
        Some(Value::Array(nodes)) => {
            let nodes: Result<Vec<_>> = nodes.iter().map(|node| read_node(node, depth)).collect();
            Ok(Fragment::joined(nodes?))
        }
        Some(_) => invalid("content: found no list of nodes"),
    }
}

fn read_slice(json: Option<&Value>) -> Result<Slice> {
    let Some(json) = json.filter(|json| !json.is_null()) else { return Ok(Slice::default()) };
    let open = |name: &str| match json.get(name) {
        None | Some(Value::Null) => Ok(0),
        Some(_) => number(json, name),
    };
    let content = read_fragment(json.get("content"), 0)?;
    let slice = Slice { content, open_start: open("openStart")?, open_end: open("openEnd")? };
    let depth = |next: fn(&Fragment) -> Option<&Node>| {
        let mut found = 0;
        let mut node = next(&slice.content);
        while let Some(inner) = node.filter(|node| !node.kind().is_leaf()) {
            found += 1;
            node = next(inner.content());
        }
        found
    };
    if slice.open_start > depth(Fragment::first) || slice.open_end > depth(Fragment::last) {
        return invalid("slice: more nodes are open than there are");
    }
    Ok(slice)
}

fn number(json: &Value, name: &str) -> Result<usize> {
    let found = json.get(name).and_then(Value::as_u64);
    match found.and_then(|found| u32::try_from(found).ok()) {
        Some(found) => Ok(found as usize),
        None => invalid(format!("{name}: found no number of a position")),
    }
}

fn read_step(json: &Value, is_outer: bool) -> Result<Step> {
    let kind = json.get("stepType").and_then(Value::as_str).unwrap_or_default();
    let is_structure = json.get("structure").and_then(Value::as_bool).unwrap_or(false);
    let at = |name| number(json, name);
    let mark = || read_mark(json.get("mark").unwrap_or(&Value::Null));
    let ordered = |positions: &[usize]| match positions.is_sorted() {
        true => Ok(()),
        false => invalid("the positions of the step are not in order"),
    };
    let change = match kind {
        "replace" => {
            let (from, to) = (at("from")?, at("to")?);
            ordered(&[from, to])?;
            let slice = read_slice(json.get("slice"))?;
            slice.check()?;
            Change::Replace { from, to, slice, is_structure }
        }
        "replaceAround" => {
            let (from, to) = (at("from")?, at("to")?);
            let (gap_from, gap_to) = (at("gapFrom")?, at("gapTo")?);
            ordered(&[from, gap_from, gap_to, to])?;
            let (slice, insert) = (read_slice(json.get("slice"))?, at("insert")?);
            if insert > slice.size() {
                return invalid("insert: found a position behind the slice");
            }
            Change::ReplaceAround { from, to, gap_from, gap_to, slice, insert, is_structure }
        }
        "addMark" | "removeMark" => {
            let (from, to, mark) = (at("from")?, at("to")?, mark()?);
            ordered(&[from, to])?;
            match kind {
                "addMark" => Change::AddMark { from, to, mark },
                _ => Change::RemoveMark { from, to, mark },
            }
        }
        "markSet" if is_outer => {
            let steps = json.get("steps").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            if steps.len() > MAX_MARK_CHANGES {
                return Err(Error::Limit("10,000 changes of marks"));
            }
            let steps = steps.iter().map(|step| {
                let step = read_step(step, false)?;
                match step.0 {
                    Change::AddMark { .. } | Change::RemoveMark { .. } => Ok(step),
                    _ => invalid("steps: found one that changes no marks"),
                }
            });
            Change::Marks(steps.collect::<Result<_>>()?)
        }
        "attr" => {
            let name = json.get("attr").and_then(Value::as_str);
            let Some(name) = name else { return invalid("attr: found no name") };
            let Some(value) = json.get("value").cloned() else {
                return invalid("value: found none");
            };
            Change::SetAttr { at: at("pos")?, name: name.to_owned(), value }
        }
        _ => return invalid(format!("there is no step {kind:?}")),
    };
    Ok(Step(change))
}
