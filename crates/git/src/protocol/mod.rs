//! Git's protocol (gitprotocol-v2(5), gitprotocol-pack(5)) over smart HTTP (gitprotocol-http(5)) and
//! over SSH, with the guarded client: lists refs, fetches the pack of one commit, and pushes one.
//! Requests version 2 and also accepts version 0.
//!
//! Implemented here instead of with `gix-protocol`, because Bindery needs only a small part (one
//! want, known haves, no negotiation rounds), because it needs its own limits and errors, and
//! because that crate includes configuration, credential programs and transports that must not be
//! reachable from the API.

mod advertisement;
mod pack;
mod receive;
mod ssh;

use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bindery_outbound::{
    BlockingResponse, CancellationToken, Client, Error as Outbound, HeaderName, HeaderValue,
    Request, SshSession, StatusCode, Url, header,
};
use gix_hash::ObjectId;

use crate::error::GitError;
use crate::pkt::{Message, Packet, PacketError, line, read_packet, sanitize};
use crate::remote::{RefName, Remote};

pub(crate) use advertisement::{Advertisement, Ref, Wanted};
pub(crate) use pack::PackStream;
pub(crate) use receive::{PushOutcome, PushSession};

/// Maximum bytes of a list of refs. Few refs are kept.
const MAX_REFS_BYTES: u64 = 64 << 20;
/// Maximum number of refs that an error lists as existing.
const MAX_LISTED_REFS: usize = 8;
const AGENT: &str = concat!("git/bindery-", env!("CARGO_PKG_VERSION"));

/// A service of Git's smart HTTP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Service {
    /// Sends packs.
    UploadPack,
    /// Receives packs.
    ReceivePack,
}

impl Service {
    const fn name(self) -> &'static str {
        match self {
            Self::UploadPack => "git-upload-pack",
            Self::ReceivePack => "git-receive-pack",
        }
    }
}

/// The parameters of a fetch's requests.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) client: Client,
    pub(crate) remote: Remote,
    pub(crate) cancel: CancellationToken,
    pub(crate) deadline: Instant,
    pub(crate) time: Duration,
}

/// The bytes of a response.
pub(crate) type Body = Box<dyn Read + Send>;

/// A session with a repository that responded.
pub(crate) struct Session {
    context: Context,
    place: Place,
    advertisement: Advertisement,
}

/// The place to which the requests of a session are sent.
enum Place {
    /// The repository's address after redirects, with a trailing slash.
    Http(Url),
    /// A service that has sent its advertisement and waits for a request. Each one reads a single
    /// request, so the next request starts another one.
    Ssh(Mutex<Option<SshSession>>),
}

/// The commit to request in a pack.
pub(crate) struct Want<'a> {
    pub(crate) object: ObjectId,
    /// Commits that are present without their parents.
    pub(crate) have: &'a [ObjectId],
    /// Maximum bytes of the response.
    pub(crate) limit: u64,
    /// Number of commits on each line of the history, counted from `object`.
    pub(crate) depth: u32,
    /// `true` if the contents of files may be omitted. Servers without filters send them anyway.
    pub(crate) without_files: bool,
}

impl Context {
    /// Returns the parameters with this time at most.
    pub(crate) fn within(self, time: Duration) -> Self {
        let deadline = self.deadline.min(Instant::now() + time);
        Self { deadline, time, ..self }
    }

    pub(crate) fn name(&self) -> String {
        self.remote.url.to_string()
    }

    /// Converts the error of a failed exchange. A timeout at the deadline becomes
    /// [`GitError::Time`].
    pub(crate) fn failed(&self, error: Outbound) -> GitError {
        match error {
            Outbound::Cancelled => GitError::Cancelled,
            Outbound::Timeout { .. } if Instant::now() >= self.deadline => self.out_of_time(),
            Outbound::Denied { .. } => {
                GitError::NeedsCredentials { remote: self.name(), given: true }
            }
            other => GitError::Transport(other),
        }
    }

    pub(crate) fn out_of_time(&self) -> GitError {
        GitError::Time { remote: self.name(), seconds: self.time.as_secs() }
    }

    pub(crate) fn io(&self, error: &std::io::Error) -> GitError {
        match Outbound::within(error) {
            Some(error) => self.failed(error.clone()),
            None => self.protocol("it ends prematurely"),
        }
    }

    pub(crate) fn packet(&self, error: PacketError) -> GitError {
        match error {
            PacketError::Malformed => self.protocol("it is not in Git's packet format"),
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
        GitError::Refused { remote: self.name(), message: sanitize(message) }
    }

    /// Sends a request with the credentials of the repository, if it goes to the server for which
    /// they were given. The repository can redirect to another one.
    pub(crate) fn send(&self, request: Request) -> Result<BlockingResponse, GitError> {
        let response = self.exchange(self.authorized(request))?;
        self.check_status(response.status)?;
        Ok(response)
    }

    /// Returns a request with the credentials of the repository, if it goes to the server for which
    /// they were given.
    pub(crate) fn authorized(&self, request: Request) -> Request {
        let authorization = self.remote.credentials.as_ref().and_then(|c| c.authorization());
        let home = self.remote.url.url().origin();
        let authorization = authorization.filter(|_| request.url().origin() == home);
        request.authorization(authorization)
    }

    /// Sends a request as it is. A response of any status is a success.
    pub(crate) fn exchange(&self, request: Request) -> Result<BlockingResponse, GitError> {
        let request = request
            .header(header::USER_AGENT, HeaderValue::from_static(AGENT))
            .header(HeaderName::from_static("git-protocol"), HeaderValue::from_static("version=2"))
            .total(self.deadline.saturating_duration_since(Instant::now()));
        self.client.send_blocking(request, &self.cancel).map_err(|error| self.failed(error))
    }

    /// Reads the first response of a service. Returns the place of its further requests, and the
    /// response.
    fn advertisement(
        &self,
        service: Service,
        wanted: Wanted<'_>,
        limit: u64,
    ) -> Result<(Place, Advertisement), GitError> {
        if let Some(access) = &self.remote.ssh {
            let mut session = self.run(access, service, limit.saturating_add(MAX_REFS_BYTES))?;
            let advertisement = Advertisement::read(self, &mut session, wanted)?;
            return Ok((Place::Ssh(Mutex::new(Some(session))), advertisement));
        }
        let mut first = self.remote.url.url().clone();
        first.set_path(&format!("{}/", first.path()));
        let name = service.name();
        let url = first
            .join(&format!("info/refs?service={name}"))
            .map_err(|_| self.protocol("the address of its refs is invalid"))?;
        let response = self.send(Request::get(url).body_limit(MAX_REFS_BYTES))?;
        if !has_type(&response, &format!("application/x-{name}-advertisement")) {
            return Err(self.not_a_repository("its server does not speak Git's smart HTTP"));
        }
        let base = base_of(&response.url, service)
            .ok_or_else(|| self.not_a_repository("it redirects to something else"))?;
        let mut body = response.body;
        let advertisement = Advertisement::read(self, &mut body, wanted)?;
        drain(body).map_err(|error| self.io(&error))?;
        Ok((Place::Http(base), advertisement))
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

impl Place {
    /// Takes the service that waits for a request.
    fn take(waiting: &Mutex<Option<SshSession>>) -> Option<SshSession> {
        waiting.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn host_keys(&self) -> Option<String> {
        match self {
            Self::Http(_) => None,
            Self::Ssh(waiting) => {
                waiting.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.host_keys()
            }
        }
    }
}

impl Session {
    /// Checks that the address is a repository and reads the capabilities of its server. If the
    /// server lists all refs at once, those in `wanted` and a few others are kept.
    pub(crate) fn open(context: Context, wanted: &RefName) -> Result<Self, GitError> {
        Self::open_for(context, Wanted::Names(&wanted.candidates()))
    }

    /// Opens a session as [`Session::open`] does, for these refs.
    pub(crate) fn open_for(context: Context, wanted: Wanted<'_>) -> Result<Self, GitError> {
        let (place, advertisement) =
            context.advertisement(Service::UploadPack, wanted, MAX_REFS_BYTES)?;
        let mut context = context;
        if let (Some(access), Some(keys)) = (&mut context.remote.ssh, place.host_keys()) {
            // Later connections of this session expect the same key.
            access.host_keys = keys;
        }
        Ok(Self { context, place, advertisement })
    }

    /// Returns the keys of the host of a repository that is accessed over SSH.
    pub(crate) fn host_keys(&self) -> Option<&str> {
        self.context.remote.ssh.as_ref().map(|access| access.host_keys.as_str())
    }

    /// Returns the ref with this name. A commit id is used without a lookup; the server decides
    /// whether it sends that commit.
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
        let others = self.refs(&LISTED_PREFIXES, MAX_LISTED_REFS, &is_listed)?;
        let remote = self.context.name();
        if others.is_empty() {
            return Err(GitError::Empty { remote });
        }
        let existing = others.into_iter().map(|r| r.name).collect();
        Err(GitError::NoSuchRef { remote, name: name.to_string(), existing })
    }

    /// Returns the branches, up to `most`.
    pub(crate) fn branches(&mut self, most: usize) -> Result<Vec<Ref>, GitError> {
        self.refs(&[BRANCHES], most, &|name| name.starts_with(BRANCHES))
    }

    /// Returns the first `most` refs that `wanted` accepts. A server of version 2 is asked for refs
    /// with these prefixes and may send others as well.
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
        let mut body = self.post(message.flush().take(), MAX_REFS_BYTES)?;
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
                        .ok_or_else(|| self.context.protocol("the list of refs is malformed"))?;
                    // The rest of the list is read as well, so that the connection can be reused.
                    refs.extend(found.filter(|r| refs.len() < most && wanted(&r.name)));
                }
                Some(_) => return Ok(refs),
                None => return Err(self.context.protocol("the list of refs is not terminated")),
            }
        }
    }

    /// Returns the same session with an earlier deadline.
    pub(crate) fn until(&self, deadline: Instant) -> Self {
        let deadline = deadline.min(self.context.deadline);
        Self {
            context: Context { deadline, ..self.context.clone() },
            place: match &self.place {
                Place::Http(base) => Place::Http(base.clone()),
                Place::Ssh(_) => Place::Ssh(Mutex::default()),
            },
            advertisement: self.advertisement.clone(),
        }
    }

    /// Returns the parameters of the session's requests.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// Returns `true` if the server sends single commits without their whole history.
    pub(crate) fn is_shallow(&self) -> bool {
        match &self.advertisement {
            Advertisement::V2 { shallow, .. } => *shallow,
            Advertisement::V0 { capabilities, .. } => capabilities.iter().any(|c| c == "shallow"),
        }
    }

    /// Requests the pack of one commit, with as much of its history as wanted.
    pub(crate) fn pack(&self, want: &Want<'_>) -> Result<PackStream<Body>, GitError> {
        let message = match &self.advertisement {
            Advertisement::V2 { shallow, filter, .. } => {
                self.want_v2(want, *shallow, *filter && want.without_files)
            }
            Advertisement::V0 { capabilities, .. } => {
                let has = |name: &str| capabilities.iter().any(|c| c == name);
                if !has("side-band-64k") {
                    return Err(self.context.protocol("the server does not support side-band-64k"));
                }
                want_v0(want, &has)
            }
        };
        let body = self.post(message, want.limit)?;
        Ok(PackStream::new(self.context.clone(), body))
    }

    fn want_v2(&self, want: &Want<'_>, shallow: bool, filter: bool) -> Vec<u8> {
        let mut message = Message::default();
        message.line("command=fetch");
        self.capabilities(&mut message);
        message.delimiter().line("thin-pack").line("ofs-delta").line("no-progress");
        message.line(&format!("want {}", want.object));
        if shallow {
            for commit in want.have {
                message.line(&format!("shallow {commit}"));
            }
            message.line(&format!("deepen {}", want.depth));
        }
        if filter {
            message.line(WITHOUT_FILES);
        }
        // Sent only if the server accepts shallow commits. Otherwise it would assume that their
        // parents are present, too, and omit needed objects.
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

    fn post(&self, message: Vec<u8>, limit: u64) -> Result<Body, GitError> {
        let base = match &self.place {
            Place::Http(base) => base,
            Place::Ssh(waiting) => {
                let mut session = self.waiting(waiting, limit)?;
                session.send(&message, None).map_err(|error| self.context.failed(error))?;
                return Ok(Box::new(session));
            }
        };
        let url = base
            .join("git-upload-pack")
            .map_err(|_| self.context.protocol("the address of its packs is invalid"))?;
        let value = HeaderValue::from_static;
        let request = Request::post(url, message)
            .header(header::CONTENT_TYPE, value("application/x-git-upload-pack-request"))
            .header(header::ACCEPT, value("application/x-git-upload-pack-result"))
            .body_limit(limit);
        let response = self.context.send(request)?;
        if !has_type(&response, "application/x-git-upload-pack-result") {
            return Err(self.context.protocol("it is not a result of Git's smart HTTP"));
        }
        Ok(Box::new(response.body))
    }

    /// Returns a service on the host that waits for a request.
    fn waiting(
        &self,
        waiting: &Mutex<Option<SshSession>>,
        limit: u64,
    ) -> Result<SshSession, GitError> {
        if let Some(mut session) = Place::take(waiting) {
            session.set_limit(limit);
            return Ok(session);
        }
        let (place, _) =
            self.context.advertisement(Service::UploadPack, Wanted::Names(&[]), limit)?;
        match place {
            Place::Ssh(waiting) => Place::take(&waiting),
            Place::Http(_) => None,
        }
        .ok_or_else(|| self.context.protocol("the connection was lost"))
    }
}

/// Prefix of the full names of branches.
pub(crate) const BRANCHES: &str = "refs/heads/";
/// Prefixes of the refs that an error lists as existing.
const LISTED_PREFIXES: [&str; 2] = [BRANCHES, "refs/tags/"];

fn is_listed(name: &str) -> bool {
    LISTED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Asks a server for a pack without the contents of files.
const WITHOUT_FILES: &str = "filter blob:none";

fn want_v0(want: &Want<'_>, has: &dyn Fn(&str) -> bool) -> Vec<u8> {
    let mut message = Message::default();
    let mut first = format!("want {} side-band-64k no-progress agent={AGENT}", want.object);
    let (shallow, filter) = (has("shallow"), has("filter") && want.without_files);
    for (has, name) in [
        (shallow, " shallow"),
        (has("ofs-delta"), " ofs-delta"),
        (has("thin-pack"), " thin-pack"),
        (filter, " filter"),
    ] {
        first.push_str(if has { name } else { "" });
    }
    message.line(&first);
    if shallow {
        for commit in want.have {
            message.line(&format!("shallow {commit}"));
        }
        message.line(&format!("deepen {}", want.depth));
    }
    if filter {
        message.line(WITHOUT_FILES);
    }
    message.flush();
    for commit in want.have.iter().filter(|_| shallow) {
        message.line(&format!("have {commit}"));
    }
    message.line("done").take()
}

/// Returns the repository's address, derived from the final address of its list of refs.
fn base_of(answered: &Url, service: Service) -> Option<Url> {
    if answered.query() != Some(&format!("service={}", service.name())) {
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

/// Maximum bytes of the rest of a response that are read to reuse its connection.
const MAX_DRAIN_BYTES: u64 = 64 << 10;

/// Reads the rest of a response, so that its connection can be reused. The connection of a response
/// with a longer rest is closed when its body is dropped.
///
/// # Errors
///
/// Returns the error of a failed read, for example if the server sends too slowly.
pub(crate) fn drain(body: impl Read) -> io::Result<()> {
    io::copy(&mut body.take(MAX_DRAIN_BYTES), &mut io::sink()).map(|_| ())
}
