//! Pushes: sends a pack and the command to move one ref to its commit.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};

use bindery_outbound::{HeaderValue, Request, header};
use gix_hash::ObjectId;

use super::{AGENT, Advertisement, Body, Context, Place, Service, Wanted, drain, has_type};
use crate::error::GitError;
use crate::pkt::{Message, Packet, line, read_packet, sanitize};

/// Maximum bytes of the response to a push.
const MAX_REPORT_BYTES: u64 = 4 << 20;
/// Maximum bytes of a report within the response.
const MAX_REPORT: usize = 64 << 10;

/// A session with a repository that accepts pushes.
pub(crate) struct PushSession {
    context: Context,
    place: Place,
    /// The object of the ref; `None` if the ref does not exist.
    tip: Option<ObjectId>,
    capabilities: Vec<String>,
    name: String,
}

/// The result of a push.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PushOutcome {
    /// The ref points to the new commit.
    Done,
    /// The ref did not point to the expected commit.
    Moved,
    /// The server refused to move the ref, for a reason of its own.
    Refused(String),
}

/// The report of a server on a push.
#[derive(Default, Debug)]
struct Report {
    /// `true` if the server accepted the pack.
    is_unpacked: bool,
    /// The reason why the ref was not moved.
    problem: Option<String>,
    /// `true` if the ref was moved.
    is_done: bool,
}

impl PushSession {
    /// Opens a session for the ref with this full name.
    pub(crate) fn open(context: Context, name: &str) -> Result<Self, GitError> {
        let wanted = [name.to_owned()];
        let (place, advertisement) = context.advertisement(
            Service::ReceivePack,
            Wanted::Names(&wanted),
            MAX_REPORT_BYTES,
        )?;
        let Advertisement::V0 { refs, capabilities } = advertisement else {
            return Err(context.protocol("the server does not support pushing"));
        };
        let tip = refs.iter().find(|found| found.name == name).map(|found| found.object);
        Ok(Self { context, place, tip, capabilities, name: name.to_owned() })
    }

    /// Moves the ref from `old`, which is `None` for a new ref, to `new`, whose objects are in a
    /// pack of `bytes` bytes.
    pub(crate) fn push(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
        pack: &File,
        bytes: u64,
    ) -> Result<PushOutcome, GitError> {
        self.update(old, Some(new), Some((pack, bytes)))
    }

    /// Deletes the ref, which points to `old`.
    pub(crate) fn delete(&self, old: ObjectId) -> Result<PushOutcome, GitError> {
        if !self.has("delete-refs") {
            return Ok(PushOutcome::Refused("the server does not delete branches".to_owned()));
        }
        self.update(Some(old), None, None)
    }

    fn has(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|known| known == capability)
    }

    fn update(
        &self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        pack: Option<(&File, u64)>,
    ) -> Result<PushOutcome, GitError> {
        if self.tip != old {
            return Ok(PushOutcome::Moved);
        }
        if !self.has("report-status") {
            return Err(self.context.protocol("the server does not report the result of a push"));
        }
        let bands = self.has("side-band-64k");
        let or_null = |id: Option<ObjectId>| id.unwrap_or(ObjectId::null(gix_hash::Kind::Sha1));
        let (old, new) = (or_null(old), or_null(new));
        let side_band = if bands { " side-band-64k" } else { "" };
        let mut message = Message::default();
        message
            .data(&format!("{old} {new} {}\0 report-status{side_band} agent={AGENT}", self.name));
        let head = message.flush().take();
        let mut body = BufReader::new(self.post(head, pack)?);
        let report = if bands {
            let text = self.first_band(&mut body)?;
            self.report(&mut text.as_slice())?
        } else {
            self.report(&mut body)?
        };
        drain(body).map_err(|error| self.context.io(&error))?;
        Ok(match report {
            Report { problem: Some(problem), .. } if is_race(&problem) => PushOutcome::Moved,
            Report { problem: Some(problem), .. } => PushOutcome::Refused(problem),
            Report { is_unpacked: true, is_done: true, .. } => PushOutcome::Done,
            _ => return Err(self.context.protocol("the report on the push is incomplete")),
        })
    }

    /// Sends a command with a pack and its size in bytes. Returns the response.
    fn post(&self, head: Vec<u8>, pack: Option<(&File, u64)>) -> Result<Body, GitError> {
        let disk = |error: io::Error| GitError::Disk {
            remote: self.context.name(),
            reason: error.kind().to_string(),
        };
        let base = match &self.place {
            Place::Http(base) => base,
            Place::Ssh(waiting) => {
                let mut session = Place::take(waiting)
                    .ok_or_else(|| self.context.protocol("the connection was lost"))?;
                let pack = pack.map(|(pack, _)| pack);
                if let Some(mut from) = pack {
                    from.seek(SeekFrom::Start(0)).map_err(disk)?;
                }
                session.send(&head, pack).map_err(|error| self.context.failed(error))?;
                return Ok(Box::new(session));
            }
        };
        let url = base
            .join(Service::ReceivePack.name())
            .map_err(|_| self.context.protocol("the address for packs is invalid"))?;
        let value = HeaderValue::from_static;
        let request = match pack {
            Some((pack, bytes)) => Request::post_file(url, head, pack, bytes).map_err(disk)?,
            None => Request::post(url, head),
        };
        let request = request
            .header(header::CONTENT_TYPE, value("application/x-git-receive-pack-request"))
            .header(header::ACCEPT, value("application/x-git-receive-pack-result"))
            .body_limit(MAX_REPORT_BYTES);
        let response = self.context.send(request)?;
        if !has_type(&response, "application/x-git-receive-pack-result") {
            return Err(self.context.protocol("it is not a result of Git's smart HTTP"));
        }
        Ok(Box::new(response.body))
    }

    /// Returns the bytes of the first band, which contains the report.
    fn first_band(&self, body: &mut impl Read) -> Result<Vec<u8>, GitError> {
        let mut report = Vec::new();
        while let Some(packet) = read_packet(body).map_err(|e| self.context.packet(e))? {
            let Packet::Data(data) = packet else { break };
            let rest = data.get(1..).unwrap_or_default();
            match data.first() {
                Some(1) if report.len() + rest.len() <= MAX_REPORT => {
                    report.extend_from_slice(rest)
                }
                Some(1) => return Err(self.context.protocol("its report is too long")),
                Some(2) => {}
                Some(3) => return Err(self.context.refused(rest)),
                _ => return Err(self.context.protocol("its report is malformed")),
            }
        }
        Ok(report)
    }

    fn report(&self, from: &mut impl io::Read) -> Result<Report, GitError> {
        let mut report = Report::default();
        while let Some(packet) = read_packet(from).map_err(|e| self.context.packet(e))? {
            let Packet::Data(data) = packet else { break };
            let text = line(&data);
            let problem = |rest: &[u8]| Some(sanitize(rest));
            if text == b"unpack ok" {
                report.is_unpacked = true;
            } else if let Some(rest) = text.strip_prefix(b"unpack ") {
                report.problem = problem(rest);
            } else if text.starts_with(b"ok ") {
                report.is_done = true;
            } else if let Some(rest) = text.strip_prefix(b"ng ") {
                let name = self.name.as_bytes();
                let rest = rest.strip_prefix(name).unwrap_or(rest);
                report.problem = report.problem.or_else(|| problem(rest));
            } else if let Some(rest) = text.strip_prefix(b"ERR ") {
                return Err(self.context.refused(rest));
            }
        }
        Ok(report)
    }
}

/// Returns `true` if the reason of a server is that the ref was moved by another push.
fn is_race(problem: &str) -> bool {
    ["fetch first", "non-fast-forward", "stale info", "failed to update ref", "cannot lock ref"]
        .iter()
        .any(|known| problem.contains(known))
        || problem.contains("reference already exists")
}
