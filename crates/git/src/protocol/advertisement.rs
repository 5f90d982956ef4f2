//! The first response of a repository: its refs (version 0) or its capabilities (version 2).

use std::io::Read;

use gix_hash::ObjectId;

use crate::error::GitError;
use crate::pkt::{Packet, line, read_packet};

use super::{BRANCHES, Context, MAX_LISTED_REFS, is_listed};

/// The content of the first response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Advertisement {
    /// All refs at once.
    V0 { refs: Vec<Ref>, capabilities: Vec<String> },
    /// Capabilities. Refs are requested separately.
    V2 { shallow: bool, filter: bool, object_format: bool },
}

/// A ref of the remote repository.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ref {
    pub(crate) name: String,
    pub(crate) object: ObjectId,
    /// The target of a symbolic ref.
    pub(crate) target: Option<String>,
}

/// The refs that are kept of a server's list of all refs.
#[derive(Clone, Copy)]
pub(crate) enum Wanted<'a> {
    /// Those with these full names.
    Names(&'a [String]),
    /// The first branches, up to this number.
    Branches(usize),
}

impl Wanted<'_> {
    /// Returns `true` if a ref is kept beside `kept` others.
    fn keeps(self, name: &str, kept: usize) -> bool {
        match self {
            Self::Names(names) => names.iter().any(|wanted| wanted == name),
            Self::Branches(most) => kept < most && name.starts_with(BRANCHES),
        }
    }
}

/// Maximum bytes of a server's capabilities, including `LINE_OVERHEAD` for each line.
const MAX_CAPABILITY_BYTES: usize = 64 << 10;
/// Bytes that each line counts in addition to its length.
const LINE_OVERHEAD: usize = 32;

impl Advertisement {
    /// Reads the response. Of refs that are listed at once, keeps those in `wanted` and a few
    /// others for error messages.
    pub(crate) fn read(
        context: &Context,
        body: &mut impl Read,
        wanted: Wanted<'_>,
    ) -> Result<Self, GitError> {
        let mut state = ParserState::Begin;
        loop {
            match read_packet(body).map_err(|e| context.packet(e))? {
                Some(Packet::Data(data)) => state.line(context, line(&data), wanted)?,
                // The line `# service=…` is followed by a flush packet of its own.
                Some(Packet::Flush) if matches!(state, ParserState::Announced) => {
                    state = ParserState::Begin;
                }
                Some(_) => break,
                None => return Err(context.protocol("the list of refs is not terminated")),
            }
        }
        match state {
            ParserState::Capabilities { lines, .. } => Self::v2(context, &lines),
            ParserState::Refs(list) => list.finish(context),
            ParserState::Begin | ParserState::Announced => RefList::default().finish(context),
        }
    }

    fn v2(context: &Context, lines: &[Vec<u8>]) -> Result<Self, GitError> {
        let value = |name: &str| {
            let mut lines = lines.iter().filter_map(|line| std::str::from_utf8(line).ok());
            lines.find_map(|line| match line.split_once('=') {
                Some((key, value)) => (key == name).then(|| value.to_owned()),
                None => (line == name).then(String::new),
            })
        };
        let format = value("object-format");
        if format.as_deref().is_some_and(|format| format != "sha1") {
            return Err(
                context.protocol("the repository uses SHA-256 ids, which are not supported")
            );
        }
        let fetch = value("fetch")
            .ok_or_else(|| context.protocol("the server does not support fetching"))?;
        let has = |name: &str| fetch.split(' ').any(|feature| feature == name);
        Ok(Self::V2 {
            shallow: has("shallow"),
            filter: has("filter"),
            object_format: format.is_some(),
        })
    }
}

/// The state of reading the response.
enum ParserState {
    Begin,
    /// The line `# service=…` was read.
    Announced,
    /// Version 2.
    Capabilities {
        lines: Vec<Vec<u8>>,
        bytes: usize,
    },
    /// Versions 0 and 1.
    Refs(RefList),
}

/// The refs of an advertisement that are kept.
#[derive(Default)]
struct RefList {
    has_first_line: bool,
    refs: Vec<Ref>,
    listed: usize,
    capabilities: Vec<String>,
}

impl ParserState {
    fn line(&mut self, context: &Context, line: &[u8], wanted: Wanted<'_>) -> Result<(), GitError> {
        match self {
            Self::Begin if line.starts_with(b"# service=") => *self = Self::Announced,
            Self::Begin if line == b"version 2" => {
                *self = Self::Capabilities { lines: Vec::new(), bytes: 0 };
            }
            Self::Begin => {
                let mut list = RefList::default();
                if line != b"version 1" {
                    list.line(context, line, wanted)?;
                }
                *self = Self::Refs(list);
            }
            Self::Announced => return Err(context.protocol("the list of refs is malformed")),
            Self::Capabilities { lines, bytes } => {
                *bytes += line.len() + LINE_OVERHEAD;
                if *bytes > MAX_CAPABILITY_BYTES {
                    return Err(context.protocol("the list of capabilities is too long"));
                }
                lines.push(line.to_vec());
            }
            Self::Refs(list) => list.line(context, line, wanted)?,
        }
        Ok(())
    }
}

impl RefList {
    fn line(&mut self, context: &Context, line: &[u8], wanted: Wanted<'_>) -> Result<(), GitError> {
        let has_first_line = std::mem::replace(&mut self.has_first_line, true);
        let line = match line.iter().position(|&b| b == 0) {
            Some(at) if !has_first_line => {
                let (name, rest) = line.split_at(at);
                let rest = String::from_utf8_lossy(rest);
                let words = rest.split(['\0', ' ']).filter(|word| !word.is_empty());
                self.capabilities = words.map(str::to_owned).collect();
                name
            }
            _ => line,
        };
        if let Some(message) = line.strip_prefix(b"ERR ") {
            return Err(context.refused(message));
        }
        if line.starts_with(b"shallow ") {
            return Ok(());
        }
        let found =
            Ref::from_v0(line).ok_or_else(|| context.protocol("the list of refs is malformed"))?;
        let Some(found) = found else { return Ok(()) };
        if wanted.keeps(&found.name, self.refs.len()) {
            // Of several refs with one name the first one counts.
            if self.refs.iter().all(|kept| kept.name != found.name) {
                self.refs.push(found);
            }
        } else if self.listed < MAX_LISTED_REFS && is_listed(&found.name) {
            self.listed += 1;
            self.refs.push(found);
        }
        Ok(())
    }

    fn finish(self, context: &Context) -> Result<Advertisement, GitError> {
        let Self { mut refs, capabilities, .. } = self;
        if capabilities.iter().any(|c| c.starts_with("object-format=") && c != "object-format=sha1")
        {
            return Err(
                context.protocol("the repository uses SHA-256 ids, which are not supported")
            );
        }
        for symref in capabilities.iter().filter_map(|c| c.strip_prefix("symref=")) {
            if let Some((name, target)) = symref.split_once(':')
                && let Some(found) = refs.iter_mut().find(|r| r.name == name)
            {
                found.target = Some(target.to_owned());
            }
        }
        Ok(Advertisement::V0 { refs, capabilities })
    }
}

impl Ref {
    /// Parses a line of version 2. Returns `None` if the line is malformed, and `Some(None)` if the
    /// name is not UTF-8 or the ref has no commit.
    pub(crate) fn from_v2(line: &[u8]) -> Option<Option<Self>> {
        let mut words = line.split(|&b| b == b' ');
        let (object, name) = (words.next()?, words.next()?);
        if object == b"unborn" {
            return Some(None);
        }
        let object = ObjectId::from_hex(object).ok()?;
        let target = words.find_map(|word| word.strip_prefix(b"symref-target:"));
        let target = target.map(|target| String::from_utf8_lossy(target).into_owned());
        let name = String::from_utf8(name.to_vec()).ok();
        Some(name.map(|name| Self { name, object, target }))
    }

    fn from_v0(line: &[u8]) -> Option<Option<Self>> {
        let (object, name) = line.split_at_checked(40)?;
        let object = ObjectId::from_hex(object).ok()?;
        let name = name.strip_prefix(b" ")?;
        // `capabilities^{}` denotes a repository without refs, and `…^{}` the target of the tag
        // before it.
        if object.is_null() || name.ends_with(b"^{}") {
            return Some(None);
        }
        let name = String::from_utf8(name.to_vec()).ok();
        Some(name.map(|name| Self { name, object, target: None }))
    }
}
