//! The first answer of a repository: its refs (version 0) or its abilities (version 2).

use std::io::Read;

use gix_hash::ObjectId;

use crate::error::GitError;
use crate::pkt::{Packet, line, read_packet};

use super::{Context, SHOWN_REFS, drain, is_shown};

/// What a repository says about itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Advertisement {
    /// All refs at once.
    V0 { refs: Vec<Ref>, capabilities: Vec<String> },
    /// Abilities; refs are asked for.
    V2 { shallow: bool, object_format: bool },
}

/// A ref of the other side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ref {
    pub(crate) name: String,
    pub(crate) object: ObjectId,
    /// For a symbolic ref the name of the real one.
    pub(crate) target: Option<String>,
}

/// Bytes of a server's abilities that are read, with something for each line.
const ABILITIES: usize = 64 << 10;
/// What each line counts beside its bytes.
const LINE: usize = 32;

impl Advertisement {
    /// Reads the answer. Of refs that are told at once those `wanted` are kept, and a few others to name.
    pub(crate) fn read(
        context: &Context,
        body: &mut impl Read,
        wanted: &[String],
    ) -> Result<Self, GitError> {
        let mut reading = Reading::Begin;
        loop {
            match read_packet(body).map_err(|e| context.packet(e))? {
                Some(Packet::Data(data)) => reading.line(context, line(&data), wanted)?,
                // The line `# service=…` has a flush of its own.
                Some(Packet::Flush) if matches!(reading, Reading::Announced) => {
                    reading = Reading::Begin;
                }
                Some(_) => break,
                None => return Err(context.protocol("a list of refs without end")),
            }
        }
        drain(body);
        match reading {
            Reading::Abilities { lines, .. } => Self::v2(context, &lines),
            Reading::Refs(list) => list.finish(context),
            Reading::Begin | Reading::Announced => List::default().finish(context),
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
            return Err(context.protocol("a repository with SHA-256 ids, which is not supported"));
        }
        let fetch = value("fetch").ok_or_else(|| context.protocol("a server that cannot fetch"))?;
        let shallow = fetch.split(' ').any(|feature| feature == "shallow");
        Ok(Self::V2 { shallow, object_format: format.is_some() })
    }
}

/// How far the answer was read.
enum Reading {
    Begin,
    /// The line `# service=…` came.
    Announced,
    /// Version 2.
    Abilities {
        lines: Vec<Vec<u8>>,
        bytes: usize,
    },
    /// Versions 0 and 1.
    Refs(List),
}

/// The refs of an advertisement that are kept.
#[derive(Default)]
struct List {
    begun: bool,
    refs: Vec<Ref>,
    shown: usize,
    capabilities: Vec<String>,
}

impl Reading {
    fn line(&mut self, context: &Context, line: &[u8], wanted: &[String]) -> Result<(), GitError> {
        match self {
            Self::Begin if line.starts_with(b"# service=") => *self = Self::Announced,
            Self::Begin if line == b"version 2" => {
                *self = Self::Abilities { lines: Vec::new(), bytes: 0 };
            }
            Self::Begin => {
                let mut list = List::default();
                if line != b"version 1" {
                    list.line(context, line, wanted)?;
                }
                *self = Self::Refs(list);
            }
            Self::Announced => return Err(context.protocol("a list of refs that is none")),
            Self::Abilities { lines, bytes } => {
                *bytes += line.len() + LINE;
                if *bytes > ABILITIES {
                    return Err(context.protocol("a list of abilities that is too long"));
                }
                lines.push(line.to_vec());
            }
            Self::Refs(list) => list.line(context, line, wanted)?,
        }
        Ok(())
    }
}

impl List {
    fn line(&mut self, context: &Context, line: &[u8], wanted: &[String]) -> Result<(), GitError> {
        let begun = std::mem::replace(&mut self.begun, true);
        let line = match line.iter().position(|&b| b == 0) {
            Some(at) if !begun => {
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
            Ref::from_v0(line).ok_or_else(|| context.protocol("a list of refs that is none"))?;
        let Some(found) = found else { return Ok(()) };
        if wanted.contains(&found.name) {
            // Of a name that is there twice the first one counts.
            if self.refs.iter().all(|kept| kept.name != found.name) {
                self.refs.push(found);
            }
        } else if self.shown < SHOWN_REFS && is_shown(&found.name) {
            self.shown += 1;
            self.refs.push(found);
        }
        Ok(())
    }

    fn finish(self, context: &Context) -> Result<Advertisement, GitError> {
        let Self { mut refs, capabilities, .. } = self;
        if capabilities.iter().any(|c| c.starts_with("object-format=") && c != "object-format=sha1")
        {
            return Err(context.protocol("a repository with SHA-256 ids, which is not supported"));
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
    /// Outer `None`: malformed. Inner: a name that is no UTF-8, or a ref without a commit.
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
        // `capabilities^{}` stands for no refs, `…^{}` for what the tag before leads to.
        if object.is_null() || name.ends_with(b"^{}") {
            return Some(None);
        }
        let name = String::from_utf8(name.to_vec()).ok();
        Some(name.map(|name| Self { name, object, target: None }))
    }
}
