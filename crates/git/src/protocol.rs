//! Git's smart HTTP (gitprotocol-http(5), gitprotocol-v2(5), gitprotocol-pack(5)) over the guarded
//! client: what refs there are, and the pack of one commit. Version 2 is asked for; servers that
//! answer in version 0 are understood too.
//!
//! Written here and not taken from `gix-protocol`, because what Bindery needs is small (one want,
//! known haves, no negotiation rounds), because every limit and every error has to be ours, and
//! because that crate brings configuration, credential programs and transports that must not be
//! reachable from the API.

mod advertisement;
mod pack;

use std::io::Read;
use std::time::{Duration, Instant};

use bindery_outbound::{
    BlockingBody, BlockingResponse, CancellationToken, Client, Error as Outbound, HeaderName,
    HeaderValue, Request, StatusCode, Url, header,
};
use gix_hash::ObjectId;

use crate::error::GitError;
use crate::pkt::{Message, Packet, PacketError, line, read_packet, words};
use crate::remote::{RefName, Remote};

pub(crate) use advertisement::{Advertisement, Ref};
pub(crate) use pack::PackStream;

/// Largest list of refs that is read, in bytes. Little of it is kept.
const REFS_LIMIT: u64 = 64 << 20;
/// Refs that are named to somebody who asked for one that does not exist.
const SHOWN_REFS: usize = 8;
const AGENT: &str = concat!("git/bindery-", env!("CARGO_PKG_VERSION"));
const SERVICE: &str = "info/refs?service=git-upload-pack";

/// What a fetch is made with.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) client: Client,
    pub(crate) remote: Remote,
    pub(crate) cancel: CancellationToken,
    pub(crate) deadline: Instant,
    pub(crate) time: Duration,
}

/// A repository that answered.
pub(crate) struct Session {
    context: Context,
    /// Where the repository really is, after redirects; ends with a slash.
    base: Url,
    advertisement: Advertisement,
}

/// What to ask a pack for.
pub(crate) struct Want<'a> {
    pub(crate) object: ObjectId,
    /// Commits that are here, each without its parents.
    pub(crate) have: &'a [ObjectId],
    pub(crate) limit: u64,
}

impl Context {
    pub(crate) fn name(&self) -> String {
        self.remote.url.to_string()
    }

    /// Translates a failed exchange. Running out of the whole time is told as that.
    pub(crate) fn failed(&self, error: Outbound) -> GitError {
        match error {
            Outbound::Cancelled => GitError::Cancelled,
            Outbound::Timeout { .. } if Instant::now() >= self.deadline => self.out_of_time(),
            other => GitError::Transport(other),
        }
    }

    pub(crate) fn out_of_time(&self) -> GitError {
        GitError::Time { remote: self.name(), seconds: self.time.as_secs() }
    }

    pub(crate) fn io(&self, error: &std::io::Error) -> GitError {
        match Outbound::within(error) {
            Some(error) => self.failed(error.clone()),
            None => self.protocol("the answer ends in the middle"),
        }
    }

    pub(crate) fn packet(&self, error: PacketError) -> GitError {
        match error {
            PacketError::Malformed => self.protocol("not in Git's format"),
            PacketError::Io(error) => self.io(&error),
        }
    }

    pub(crate) fn protocol(&self, reason: &str) -> GitError {
        GitError::Protocol { remote: self.name(), reason: reason.to_owned() }
    }

    fn not_a_repository(&self, reason: impl Into<String>) -> GitError {
        GitError::NotARepository { remote: self.name(), reason: reason.into() }
    }

    fn refused(&self, message: &[u8]) -> GitError {
        GitError::Refused { remote: self.name(), message: words(message) }
    }

    fn send(&self, request: Request) -> Result<BlockingResponse, GitError> {
        let authorization = self.remote.credentials.as_ref().and_then(|c| c.authorization());
        // Credentials stay with the server that they were given for, also when the repository
        // turns out to be elsewhere.
        let home = self.remote.url.url().origin();
        let authorization = authorization.filter(|_| request.url().origin() == home);
        let request = request
            .authorization(authorization)
            .header(header::USER_AGENT, HeaderValue::from_static(AGENT))
            .header(HeaderName::from_static("git-protocol"), HeaderValue::from_static("version=2"))
            .total(self.deadline.saturating_duration_since(Instant::now()));
        let response =
            self.client.send_blocking(request, &self.cancel).map_err(|e| self.failed(e))?;
        self.check_status(response.status)?;
        Ok(response)
    }

    fn check_status(&self, status: StatusCode) -> Result<(), GitError> {
        let remote = self.name();
        match status.as_u16() {
            200 => Ok(()),
            401 | 403 => {
                Err(GitError::NeedsCredentials { remote, given: self.remote.credentials.is_some() })
            }
            404 | 410 => Err(self.not_a_repository("there is nothing at this address")),
            status @ (429 | 500..) => Err(GitError::Server { remote, status }),
            status => Err(self.not_a_repository(format!("its server answered {status}"))),
        }
    }
}

impl Session {
    /// Asks whether there is a repository, and what it can do. Where it tells all refs at once,
    /// `wanted` is kept, and a few others.
    pub(crate) fn open(context: Context, wanted: &RefName) -> Result<Self, GitError> {
        let mut first = context.remote.url.url().clone();
        first.set_path(&format!("{}/", first.path()));
        let asked = first.join(SERVICE).map_err(|_| context.protocol("its address"))?;
        let response = context.send(Request::get(asked).body_limit(REFS_LIMIT))?;
        if !has_type(&response, "application/x-git-upload-pack-advertisement") {
            return Err(context.not_a_repository("what is there does not speak Git's smart HTTP"));
        }
        let base = base_of(&response.url)
            .ok_or_else(|| context.not_a_repository("it redirects to something else"))?;
        let mut body = response.body;
        let advertisement = Advertisement::read(&context, &mut body, &wanted.candidates())?;
        Ok(Self { context, base, advertisement })
    }

    /// The ref of this name. The id of a commit is taken as it is: the server says whether it
    /// gives that out.
    pub(crate) fn find(&mut self, name: &RefName) -> Result<Ref, GitError> {
        if let Some(object) = name.commit() {
            return Ok(Ref { name: object.to_string(), object, target: None });
        }
        let candidates = name.candidates();
        let prefixes: Vec<&str> = candidates.iter().map(String::as_str).collect();
        let is_wanted = |found: &str| candidates.iter().any(|name| name == found);
        let refs = self.refs(&prefixes, candidates.len(), &is_wanted)?;
        let found = candidates.iter().find_map(|name| refs.iter().find(|r| r.name == *name));
        if let Some(found) = found {
            return Ok(found.clone());
        }
        let others = self.refs(&SHOWN_PREFIXES, SHOWN_REFS, &is_shown)?;
        let remote = self.context.name();
        if others.is_empty() {
            return Err(GitError::Empty { remote });
        }
        let existing = others.into_iter().map(|r| r.name).collect();
        Err(GitError::NoSuchRef { remote, name: name.to_string(), existing })
    }

    /// The first `most` refs with names that are wanted; a server of version 2 is asked for those
    /// with these prefixes, and may send any.
    fn refs(
        &mut self,
        prefixes: &[&str],
        most: usize,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Ref>, GitError> {
        if let Advertisement::V0 { refs, .. } = &self.advertisement {
            return Ok(refs.iter().filter(|r| wanted(&r.name)).take(most).cloned().collect());
        }
        let mut message = Message::default();
        message.line("command=ls-refs");
        self.capabilities(&mut message);
        message.delimiter().line("peel").line("symrefs");
        for prefix in prefixes {
            message.line(&format!("ref-prefix {prefix}"));
        }
        let mut body = self.post(message.flush().take(), REFS_LIMIT)?;
        let mut refs = Vec::new();
        loop {
            let packet = read_packet(&mut body).map_err(|e| self.context.packet(e))?;
            match packet {
                Some(Packet::Data(data)) => {
                    let data = line(&data);
                    if let Some(message) = data.strip_prefix(b"ERR ") {
                        return Err(self.context.refused(message));
                    }
                    let found = Ref::from_v2(data)
                        .ok_or_else(|| self.context.protocol("a list of refs that is none"))?;
                    // The rest is read all the same, for the connection to be of further use.
                    refs.extend(found.filter(|r| refs.len() < most && wanted(&r.name)));
                }
                Some(_) => return Ok(refs),
                None => return Err(self.context.protocol("a list of refs without end")),
            }
        }
    }

    /// Asks for the pack of one commit without its history.
    pub(crate) fn pack(&self, want: &Want<'_>) -> Result<PackStream<BlockingBody>, GitError> {
        let message = match &self.advertisement {
            Advertisement::V2 { shallow, .. } => self.want_v2(want, *shallow),
            Advertisement::V0 { capabilities, .. } => {
                let has = |name: &str| capabilities.iter().any(|c| c == name);
                if !has("side-band-64k") {
                    return Err(self.context.protocol("its server is too old"));
                }
                want_v0(want, has("shallow"), has("ofs-delta"), has("thin-pack"))
            }
        };
        let body = self.post(message, want.limit)?;
        Ok(PackStream::new(self.context.clone(), body))
    }

    fn want_v2(&self, want: &Want<'_>, shallow: bool) -> Vec<u8> {
        let mut message = Message::default();
        message.line("command=fetch");
        self.capabilities(&mut message);
        message.delimiter().line("thin-pack").line("ofs-delta").line("no-progress");
        message.line(&format!("want {}", want.object));
        if shallow {
            for commit in want.have {
                message.line(&format!("shallow {commit}"));
            }
            message.line("deepen 1");
        }
        // A server that cannot be told that these commits have no parents here would leave out
        // too much.
        for commit in want.have.iter().filter(|_| shallow) {
            message.line(&format!("have {commit}"));
        }
        message.line("done").flush().take()
    }

    fn capabilities(&self, message: &mut Message) {
        message.line(&format!("agent={AGENT}"));
        if let Advertisement::V2 { object_format: true, .. } = &self.advertisement {
            message.line("object-format=sha1");
        }
    }

    fn post(&self, message: Vec<u8>, limit: u64) -> Result<BlockingBody, GitError> {
        let url =
            self.base.join("git-upload-pack").map_err(|_| self.context.protocol("address"))?;
        let value = HeaderValue::from_static;
        let request = Request::post(url, message)
            .header(header::CONTENT_TYPE, value("application/x-git-upload-pack-request"))
            .header(header::ACCEPT, value("application/x-git-upload-pack-result"))
            .body_limit(limit);
        let response = self.context.send(request)?;
        if !has_type(&response, "application/x-git-upload-pack-result") {
            return Err(self.context.protocol("not a result of Git's smart HTTP"));
        }
        Ok(response.body)
    }
}

/// Where the refs are that are named to somebody.
const SHOWN_PREFIXES: [&str; 2] = ["refs/heads/", "refs/tags/"];

fn is_shown(name: &str) -> bool {
    SHOWN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

fn want_v0(want: &Want<'_>, shallow: bool, ofs_delta: bool, thin: bool) -> Vec<u8> {
    let mut message = Message::default();
    let mut first = format!("want {} side-band-64k no-progress agent={AGENT}", want.object);
    for (has, name) in [(shallow, " shallow"), (ofs_delta, " ofs-delta"), (thin, " thin-pack")] {
        first.push_str(if has { name } else { "" });
    }
    message.line(&first);
    if shallow {
        for commit in want.have {
            message.line(&format!("shallow {commit}"));
        }
        message.line("deepen 1");
    }
    message.flush();
    for commit in want.have.iter().filter(|_| shallow) {
        message.line(&format!("have {commit}"));
    }
    message.line("done").take()
}

/// The repository's address, from the one that answered for its refs.
fn base_of(answered: &Url) -> Option<Url> {
    if answered.query() != Some("service=git-upload-pack") {
        return None;
    }
    let path = answered.path().strip_suffix("info/refs")?;
    let mut base = answered.clone();
    base.set_path(path);
    base.set_query(None);
    Some(base)
}

fn has_type(response: &BlockingResponse, expected: &str) -> bool {
    let value = response.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.is_some_and(|value| value.split(';').next().unwrap_or_default().trim() == expected)
}

/// Reads on until the bytes end, so that the connection can be used again.
pub(crate) fn drain(mut body: impl Read) {
    let mut scrap = [0; 4096];
    while matches!(body.read(&mut scrap), Ok(1..)) {}
}
