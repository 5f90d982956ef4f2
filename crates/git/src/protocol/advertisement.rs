//! The first answer of a repository: its refs (version 0) or its abilities (version 2).

use std::io::Read;

use gix_hash::ObjectId;

use crate::error::GitError;
use crate::pkt::{Packet, line, read_packet};

use super::{Context, drain};

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

impl Advertisement {
    pub(crate) fn read(context: &Context, body: &mut impl Read) -> Result<Self, GitError> {
        let mut lines = Vec::new();
        let mut announced = false;
        loop {
            match read_packet(body).map_err(|e| context.packet(e))? {
                Some(Packet::Data(data)) => lines.push(line(&data).to_vec()),
                // The line `# service=…` has a flush of its own.
                Some(Packet::Flush) if !announced && is_announcement(&lines) => {
                    announced = true;
                    lines.clear();
                }
                Some(_) => break,
                None => return Err(context.protocol("a list of refs without end")),
            }
        }
        drain(body);
        match lines.first().map(Vec::as_slice) {
            Some(b"version 2") => Self::v2(context, &lines),
            Some(b"version 1") => Self::v0(context, lines.get(1..).unwrap_or_default()),
            _ => Self::v0(context, &lines),
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

    fn v0(context: &Context, lines: &[Vec<u8>]) -> Result<Self, GitError> {
        let mut capabilities = Vec::new();
        let mut refs = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            let line = match line.iter().position(|&b| b == 0) {
                Some(at) if number == 0 => {
                    let (name, rest) = line.split_at(at);
                    let rest = String::from_utf8_lossy(rest);
                    let words = rest.split(['\0', ' ']).filter(|word| !word.is_empty());
                    capabilities = words.map(str::to_owned).collect();
                    name
                }
                _ => line,
            };
            if let Some(message) = line.strip_prefix(b"ERR ") {
                return Err(context.refused(message));
            }
            if line.starts_with(b"shallow ") {
                continue;
            }
            let found = Ref::from_v0(line)
                .ok_or_else(|| context.protocol("a list of refs that is none"))?;
            refs.extend(found);
        }
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
        Ok(Self::V0 { refs, capabilities })
    }
}

fn is_announcement(lines: &[Vec<u8>]) -> bool {
    lines.first().is_some_and(|line| line.starts_with(b"# service="))
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
