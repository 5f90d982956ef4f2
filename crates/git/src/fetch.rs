//! Fetches one commit of a repository into its cache. The first fetch transfers the complete
//! commit, later ones only new objects.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::cache::{Cache, LockError, key, shrink};
use crate::commit::{CommitError, CommitFolder, CommitLimits};
use crate::error::GitError;
use crate::history;
use crate::indexing::{Gate, PackError, PackLimits, PackWriter, WrittenPack};
use crate::lfs::{LargeFileServer, LargeFiles};
use crate::packs::Packs;
use crate::protocol::{Body, Context, PackStream, Ref, Session, Want, Wanted};
use crate::remote::{RefName, Remote};
use bindery_model::OrganizationId;
use bindery_outbound::{CancellationToken, Client, wait_until};
use gix_hash::ObjectId;

/// Number of commits on each line of the history that are read to find the dates of files.
const HISTORY_COMMITS: u32 = 1_000;
/// Maximum bytes of the history that are received.
const HISTORY_BYTES: u64 = 64 << 20;
/// Maximum duration of receiving and reading the history.
const HISTORY_TIME: Duration = Duration::from_secs(20);

/// Maximum duration of finding the commit of a ref.
const TIP_TIME: Duration = Duration::from_secs(30);

/// Maximum number of branches that are listed.
pub const MAX_BRANCHES: usize = 5_000;

/// Limits of a repository.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FetchLimits {
    /// Maximum bytes on the disk per repository.
    pub bytes: u64,
    /// Maximum bytes on the disk of all repositories. The least recently fetched caches are deleted
    /// first.
    pub all_bytes: u64,
    /// Maximum number of objects in one pack.
    pub objects: u32,
    /// Maximum bytes of one unpacked object.
    pub object_bytes: usize,
    /// Maximum bytes of all unpacked objects and deltas of one pack, and of all files of the
    /// commit.
    pub unpacked: u64,
    /// Maximum number of files in the commit.
    pub files: usize,
    /// Maximum duration of the fetch.
    pub time: Duration,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            bytes: 4 << 30,
            all_bytes: 16 << 30,
            objects: 2_000_000,
            object_bytes: 256 << 20,
            unpacked: 4 << 30,
            files: 500_000,
            time: Duration::from_secs(30 * 60),
        }
    }
}

/// The progress of a fetch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FetchProgress {
    /// Waiting for the repository's server.
    Connecting,
    /// The pack is being received.
    Receiving {
        /// Bytes received so far.
        bytes: u64,
        /// Objects in the pack.
        objects: u32,
    },
    /// The pack was received, and its deltas are being resolved and indexed.
    Indexing {
        /// Objects in the pack.
        objects: u32,
    },
    /// The fetch is complete.
    Done,
}

/// The parameters of a fetch.
pub struct FetchRequest<'a> {
    /// The organization that owns the cache.
    pub organization: OrganizationId,
    /// The repository.
    pub remote: &'a Remote,
    /// The caller's name for the repository's cache. Fetches of one address with the same name
    /// share a cache regardless of their credentials. Without a name, only fetches with the same
    /// credentials do.
    pub cache: Option<&'a str>,
    /// The requested ref.
    pub reference: &'a RefName,
    /// The commit that was imported last. If it is still present, files are listed only when
    /// [`Folder::entries`](crate::Folder::entries) is called.
    pub known: Option<&'a str>,
    /// Cancels the fetch.
    pub cancel: CancellationToken,
    /// Receives the progress of the fetch.
    pub progress: &'a (dyn Fn(FetchProgress) + Sync),
}

/// A fetched commit.
#[derive(Clone, Debug)]
pub struct FetchedCommit {
    /// The ref. For `HEAD`, the branch to which it points, if the server reports it.
    pub reference: String,
    /// The commit's files.
    pub folder: CommitFolder,
    /// Bytes of the pack that was received.
    pub received_bytes: u64,
    /// Objects in that pack.
    pub received_objects: u32,
}

/// Fetches repositories into caches below one folder.
#[derive(Clone, Debug)]
pub struct Fetcher {
    client: Client,
    caches: PathBuf,
    limits: FetchLimits,
    gate: Arc<Gate>,
}

/// A fetch or a push, and the cache of its repository, which is locked.
pub(crate) struct Fetch<'a> {
    request: &'a FetchRequest<'a>,
    gate: &'a Gate,
    context: Context,
    limits: FetchLimits,
    pub(crate) cache: Cache,
}

struct ReceivedPack {
    bytes: u64,
    objects: u32,
}

impl Fetcher {
    /// Creates a fetcher that uses `client` and the folder `caches`, which must belong to this
    /// process alone.
    pub fn new(client: Client, caches: PathBuf, limits: FetchLimits) -> Self {
        Self { client, caches, limits, gate: Arc::default() }
    }

    /// Fetches the commit of a ref. Blocks the thread; other fetches of the same repository wait.
    ///
    /// # Errors
    /// See [`GitError`]. The cache stays usable after any error.
    pub fn fetch(&self, request: &FetchRequest<'_>) -> Result<FetchedCommit, GitError> {
        let (_, fetched, ..) = self.begin(request)?;
        Ok(fetched)
    }

    /// Fetches the commit of a ref. Returns the fetch, whose cache stays locked, and the commit.
    fn begin<'f>(
        &'f self,
        request: &'f FetchRequest<'_>,
    ) -> Result<(Fetch<'f>, FetchedCommit, Session, Ref), GitError> {
        (request.progress)(FetchProgress::Connecting);
        let mut fetch = self.lock(request)?;
        let mut session = Session::open(fetch.context.clone(), request.reference)?;
        let found = session.find(request.reference)?;
        let fetched = fetch.fetch_commit(&session, &found)?;
        // The caches can exceed the limit only after new objects arrived. This fetch's cache is
        // locked and therefore not deleted.
        if fetched.received_objects > 0
            && let Err(error) = shrink(&self.caches, self.limits.all_bytes)
        {
            tracing::warn!(%error, "failed to shrink the caches of repositories");
        }
        (request.progress)(FetchProgress::Done);
        Ok((fetch, fetched, session, found))
    }

    /// Returns the commit of a ref without fetching it; `None` if the repository has no such ref.
    /// Takes at most 30 seconds.
    ///
    /// # Errors
    /// See [`GitError`].
    pub fn tip(&self, request: &FetchRequest<'_>) -> Result<Option<String>, GitError> {
        let context = self.context(request).within(TIP_TIME);
        let mut session = Session::open(context, request.reference)?;
        match session.find(request.reference) {
            Ok(found) => Ok(Some(found.object.to_string())),
            Err(GitError::NoSuchRef { .. } | GitError::Empty { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the full names and the commits of the branches of a repository without fetching them,
    /// sorted by name. Takes at most 30 seconds, and returns at most [`MAX_BRANCHES`] branches.
    ///
    /// # Errors
    /// See [`GitError`].
    pub fn branches(&self, request: &FetchRequest<'_>) -> Result<Vec<(String, String)>, GitError> {
        let context = self.context(request).within(TIP_TIME);
        let mut session = Session::open_for(context, Wanted::Branches(MAX_BRANCHES))?;
        let found = session.branches(MAX_BRANCHES)?.into_iter();
        // Names that Git does not permit cannot be fetched.
        let found = found.filter(|branch| RefName::parse(&branch.name).is_ok());
        let mut found: Vec<_> =
            found.map(|branch| (branch.name, branch.object.to_string())).collect();
        found.sort();
        Ok(found)
    }

    /// Returns the keys of the host of a repository that is accessed over SSH; see
    /// [`SshAccess::host_keys`](crate::SshAccess::host_keys).
    ///
    /// # Errors
    /// See [`GitError`].
    pub fn host_keys(&self, request: &FetchRequest<'_>) -> Result<Option<String>, GitError> {
        let session = Session::open(self.context(request), request.reference)?;
        Ok(session.host_keys().map(str::to_owned))
    }

    /// Returns the server that has the large files of a repository.
    pub fn large_files(&self, request: &FetchRequest<'_>) -> impl LargeFiles + use<> {
        LargeFileServer::new(self.context(request), request.reference.to_string())
    }

    /// Returns `true` if the commit of a ref is `ancestor` or descends from it. The history is read
    /// within the limits of its size; an ancestor beyond them is not found.
    ///
    /// # Errors
    /// See [`GitError`].
    pub fn descends_from(
        &self,
        request: &FetchRequest<'_>,
        ancestor: &str,
    ) -> Result<bool, GitError> {
        let (fetch, FetchedCommit { folder, .. }, session, found) = self.begin(request)?;
        let Ok(ancestor) = ancestor.parse() else { return Ok(false) };
        let Ok(tip) = folder.commit().oid.parse() else { return Ok(false) };
        let session = session.until(Instant::now() + HISTORY_TIME);
        let (packs, temporary) = fetch.receive_history(&session, &found, tip)?;
        let descends = history::descends_from(&packs, tip, ancestor);
        remove_pack(temporary);
        Ok(descends)
    }

    /// Returns the newest commit that two refs of a repository have in common. Their histories are
    /// read within the limits of their size; `None` if the commit is beyond them or does not exist.
    ///
    /// # Errors
    /// See [`GitError`].
    pub fn merge_base(
        &self,
        request: &FetchRequest<'_>,
        other: &RefName,
    ) -> Result<Option<String>, GitError> {
        let of_other =
            FetchRequest { reference: other, cancel: request.cancel.clone(), ..*request };
        // Both commits must be in the cache, so that their histories are received without files.
        let tips = [self.fetch(request)?, self.fetch(&of_other)?].map(|fetched| fetched.folder);
        let ids = [&tips[0], &tips[1]].map(|tip| tip.commit().oid.parse::<ObjectId>());
        let [Ok(tip), Ok(other_tip)] = ids else { return Ok(None) };
        let fetch = self.lock(request)?;
        let mut found = None;
        let mut temporary = Vec::new();
        let read = [(request.reference, tip), (other, other_tip)].into_iter().try_for_each(
            |(reference, tip)| {
                let mut session = Session::open(fetch.context.clone(), reference)?;
                let named = session.find(reference)?;
                let session = session.until(Instant::now() + HISTORY_TIME);
                temporary.extend(fetch.receive_history(&session, &named, tip)?.1);
                Ok(())
            },
        );
        if read.is_ok() {
            let mut names = fetch.cache.pack_names();
            let new = temporary.iter().filter_map(|path| path.file_stem()?.to_str());
            names.extend(new.map(str::to_owned));
            let packs = fetch.open_packs(&names)?;
            found = history::merge_base(&packs, tip, other_tip).map(|id| id.to_string());
        }
        for path in temporary {
            remove_pack(Some(path));
        }
        read.map(|()| found)
    }

    /// Empties the cache of a repository whose objects could not be read, so that the next fetch
    /// transfers everything again.
    ///
    /// # Errors
    /// See [`GitError`].
    pub fn discard(&self, request: &FetchRequest<'_>) -> Result<(), GitError> {
        self.lock(request)?.clear()
    }

    pub(crate) fn context(&self, request: &FetchRequest<'_>) -> Context {
        Context {
            client: self.client.clone(),
            remote: request.remote.clone(),
            cancel: request.cancel.clone(),
            deadline: Instant::now() + self.limits.time,
            time: self.limits.time,
        }
    }

    /// Waits until the cache of a repository is free.
    pub(crate) fn lock<'f>(&'f self, request: &'f FetchRequest<'_>) -> Result<Fetch<'f>, GitError> {
        let context = self.context(request);
        let locked = Cache::lock(
            &self.caches,
            request.organization,
            &key(request.remote, request.cache),
            &request.cancel,
            context.deadline,
        );
        let cache = locked.map_err(|error| match error {
            LockError::Io(error) => disk(&context, &error),
            LockError::Stopped if context.cancel.is_cancelled() => GitError::Cancelled,
            LockError::Stopped => context.out_of_time(),
        })?;
        Ok(Fetch { request, gate: &self.gate, context, limits: self.limits, cache })
    }

    /// Deletes all caches of a deleted organization.
    ///
    /// # Errors
    /// Returns an error if the files cannot be deleted.
    pub fn forget(&self, organization: OrganizationId) -> std::io::Result<()> {
        match std::fs::remove_dir_all(self.caches.join(organization.as_str())) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

impl Fetch<'_> {
    fn fetch_commit(&mut self, session: &Session, found: &Ref) -> Result<FetchedCommit, GitError> {
        let mut received = ReceivedPack { bytes: 0, objects: 0 };
        let had = self.cache.bytes() > 0;
        if !self.cache.has_tip(&found.object) {
            received = self.receive_or_reclone(session, found)?;
        }
        let folder = match self.open(found) {
            Err(GitError::Damaged { .. }) if had => {
                tracing::warn!(remote = %self.request.remote.url, "the cache is damaged; cloning again");
                self.clear()?;
                received = self.receive(session, found)?;
                self.open_fresh(found)?
            }
            Err(error @ GitError::Damaged { .. }) => return Err(self.incomplete(error)),
            opened => opened?,
        };
        self.cache.set_tip(&found.name, &found.object, &folder.commit().oid);
        self.cache.save().map_err(|error| self.disk(&error))?;
        if self.request.known.is_none() && folder.has_parents() {
            self.read_history(session, found, &folder);
        }
        Ok(FetchedCommit {
            reference: found.target.clone().unwrap_or_else(|| found.name.clone()),
            folder,
            received_bytes: received.bytes,
            received_objects: received.objects,
        })
    }

    /// Receives the pack. Retries with an empty cache if the pack cannot be built on the present
    /// one.
    fn receive_or_reclone(
        &mut self,
        session: &Session,
        found: &Ref,
    ) -> Result<ReceivedPack, GitError> {
        let had = self.cache.bytes() > 0;
        match self.receive(session, found) {
            Err(GitError::Protocol { .. } | GitError::Damaged { .. } | GitError::Limit { .. })
                if had =>
            {
                self.clear()?;
                self.receive(session, found)
            }
            other => other,
        }
    }

    fn receive(&mut self, session: &Session, found: &Ref) -> Result<ReceivedPack, GitError> {
        let have = self.cache.commits();
        let packs = self.packs()?;
        let limit = self.limits.bytes.saturating_sub(self.cache.bytes());
        let want =
            Want { object: found.object, have: &have, limit, depth: 1, without_files: false };
        let (received, data) = self.receive_pack(session, &want, packs)?;
        if let Some(data) = data {
            self.cache.add_pack(&data).map_err(|error| self.disk(&error))?;
        }
        Ok(received)
    }

    /// Receives the pack of a request into the cache's folder. Returns no file for an empty pack.
    fn receive_pack(
        &self,
        session: &Session,
        want: &Want<'_>,
        packs: Packs,
    ) -> Result<(ReceivedPack, Option<PathBuf>), GitError> {
        let mut stream = session.pack(want)?;
        let objects = self.write(session.context(), &mut stream, packs);
        // The stream holds the reason for a failed read; the pack writer sees only an opaque error.
        let failure = stream.failure();
        let (objects, data) = match (failure, objects) {
            (Some(GitError::Transport(bindery_outbound::Error::TooLarge { .. })), _) => {
                return Err(self.too_large(format!("{} bytes", self.limits.bytes)));
            }
            (Some(error), _) => return Err(error),
            (None, written) => written?,
        };
        Ok((ReceivedPack { bytes: stream.received(), objects }, data))
    }

    /// Finds out which commit last changed each file, from the history that the server sends within
    /// limits. Without it, all files have the time of the commit.
    fn read_history(&self, session: &Session, found: &Ref, folder: &CommitFolder) {
        let session = session.until(Instant::now() + HISTORY_TIME);
        let context = session.context();
        let Ok(tip) = folder.commit().oid.parse() else { return };
        let read = self.receive_history(&session, found, tip);
        let (packs, temporary) = match read {
            Ok(read) => read,
            Err(error) => {
                let remote = self.context.name();
                tracing::info!(%error, remote, "files get the date of the commit, as its history cannot be read");
                return;
            }
        };
        let stop = || context.cancel.is_cancelled() || Instant::now() >= context.deadline;
        folder.read_history(Arc::new(packs), &stop);
        // The history is not needed again: later imports date what they change.
        remove_pack(temporary);
    }

    /// Receives the history of the commit `tip`, which is cached. Returns all packs, and the file of
    /// the temporary one.
    fn receive_history(
        &self,
        session: &Session,
        found: &Ref,
        tip: ObjectId,
    ) -> Result<(Packs, Option<PathBuf>), GitError> {
        let packs = self.packs()?;
        if !session.is_shallow() {
            return Ok((packs, None));
        }
        let want = Want {
            object: found.object,
            have: &[tip],
            limit: HISTORY_BYTES.min(self.limits.bytes.saturating_sub(self.cache.bytes())),
            depth: HISTORY_COMMITS,
            without_files: true,
        };
        let (_, data) = self.receive_pack(session, &want, packs)?;
        let name = data.as_ref().and_then(|data| data.file_stem()?.to_str()).map(str::to_owned);
        let mut names = self.cache.pack_names();
        let Some(name) = name.filter(|name| !names.contains(name)) else {
            return Ok((self.packs()?, None));
        };
        names.push(name);
        Ok((self.open_packs(&names)?, data))
    }

    /// Writes a pack and its index. Returns the number of its objects and its file, or no file for
    /// an empty pack.
    fn write(
        &self,
        context: &Context,
        stream: &mut PackStream<Body>,
        packs: Packs,
    ) -> Result<(u32, Option<PathBuf>), GitError> {
        let mut header = [0; gix_pack::data::header::SIZE];
        stream.read_exact(&mut header).map_err(|error| context.io(&error))?;
        let (_, objects) = gix_pack::data::header::decode(&header)
            .map_err(|_| context.protocol("it is not a pack"))?;
        if objects > self.limits.objects {
            return Err(self.too_large(format!("{} objects", self.limits.objects)));
        }
        if objects == 0 {
            crate::protocol::drain(stream).ok();
            return Ok((0, None));
        }
        let watch = StopFlag::start(context);
        let reader = ProgressReader {
            stream,
            objects,
            bytes: 0,
            reported: 0,
            progress: self.request.progress,
        };
        let mut buffered = BufReader::with_capacity(64 << 10, header.as_slice().chain(reader));
        let on_received = || (self.request.progress)(FetchProgress::Indexing { objects });
        let path = self.write_pack(&mut buffered, &packs, &watch.stop, &on_received)?;
        crate::protocol::drain(buffered).ok();
        Ok((objects, Some(path)))
    }

    /// Writes a pack into the folder of the cache. Returns its file.
    pub(crate) fn write_pack(
        &self,
        from: &mut dyn BufRead,
        packs: &Packs,
        stop: &AtomicBool,
        on_received: &(dyn Fn() + Sync),
    ) -> Result<PathBuf, GitError> {
        let limits = &self.limits;
        let writer = PackWriter {
            folder: &self.cache.packs_folder(),
            limits: PackLimits::new(limits.objects, limits.object_bytes, limits.unpacked),
            bases: packs,
            gate: self.gate,
            stop,
            on_received,
        };
        let written = writer.write(from).map_err(|error| self.pack_error(error))?;
        let WrittenPack { path } = written;
        Ok(path)
    }

    fn pack_error(&self, error: PackError) -> GitError {
        if self.context.cancel.is_cancelled() {
            return GitError::Cancelled;
        }
        match error {
            PackError::Stopped => self.context.out_of_time(),
            PackError::Read(error) => self.context.io(&error),
            PackError::Malformed(reason) => {
                self.context.protocol(&format!("the pack is malformed: {reason}"))
            }
            PackError::Limit(limit) => self.too_large(limit),
            PackError::Disk(error) => self.disk(&error),
        }
    }

    pub(crate) fn packs(&self) -> Result<Packs, GitError> {
        self.open_packs(&self.cache.pack_names())
    }

    fn open_packs(&self, names: &[String]) -> Result<Packs, GitError> {
        let most = PackLimits::read_bytes(self.limits.object_bytes);
        Packs::open(&self.cache.packs_folder(), names, most)
            .map_err(|error| self.damaged(error.probable_cause().to_string()))
    }

    fn open(&self, found: &Ref) -> Result<CommitFolder, GitError> {
        let packs = Arc::new(self.packs()?);
        let limits = CommitLimits { files: self.limits.files, bytes: self.limits.unpacked };
        let opened = CommitFolder::open(packs, found.object, limits);
        let listed = opened.and_then(|folder| {
            // Listing now detects damage while the cache can still be fetched again.
            if !self.request.known.is_some_and(|known| folder.can_compare_with(known)) {
                folder.list()?;
            }
            Ok(folder)
        });
        listed.map_err(|error| match error {
            CommitError::Read(error) => self.damaged(error.to_string()),
            CommitError::NoCommit => {
                GitError::NotACommit { remote: self.context.name(), name: found.name.clone() }
            }
            error @ (CommitError::TooMany(_) | CommitError::Limit(_)) => {
                self.too_large(error.to_string())
            }
        })
    }

    /// Opens a commit that was fetched into an empty cache.
    fn open_fresh(&self, found: &Ref) -> Result<CommitFolder, GitError> {
        self.open(found).map_err(|error| self.incomplete(error))
    }

    /// Converts damage of a new clone into a protocol error, as the server did not send the missing
    /// objects and fetching again would not help.
    fn incomplete(&self, error: GitError) -> GitError {
        match error {
            GitError::Damaged { reason, .. } => {
                self.context.protocol(&format!("the commit is incomplete: {reason}"))
            }
            other => other,
        }
    }

    fn clear(&mut self) -> Result<(), GitError> {
        self.cache.clear().map_err(|error| disk(&self.context, &error))
    }

    fn too_large(&self, limit: String) -> GitError {
        GitError::Limit { remote: self.context.name(), limit }
    }

    fn damaged(&self, reason: String) -> GitError {
        GitError::Damaged { remote: self.context.name(), reason }
    }

    pub(crate) fn disk(&self, error: &std::io::Error) -> GitError {
        disk(&self.context, error)
    }
}

/// Deletes a temporary pack and its index.
fn remove_pack(temporary: Option<PathBuf>) {
    for path in temporary.iter().flat_map(|pack| [pack.clone(), pack.with_extension("idx")]) {
        if let Err(error) = std::fs::remove_file(&path) {
            tracing::warn!(%error, "a temporary pack cannot be deleted");
        }
    }
}

/// Reports only the kind of the error, as its text may contain paths of this machine.
fn disk(context: &Context, error: &std::io::Error) -> GitError {
    tracing::error!(%error, "a repository's cache cannot be written");
    GitError::Disk { remote: context.name(), reason: error.kind().to_string() }
}

/// Reports the progress of receiving a pack in steps of `PROGRESS_INTERVAL_BYTES` bytes.
struct ProgressReader<'a> {
    stream: &'a mut PackStream<Body>,
    objects: u32,
    bytes: u64,
    reported: u64,
    progress: &'a (dyn Fn(FetchProgress) + Sync),
}

const PROGRESS_INTERVAL_BYTES: u64 = 1 << 20;

impl Read for ProgressReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.stream.read(into)?;
        self.bytes += read as u64;
        let objects = self.objects;
        if self.reported == 0 || self.bytes - self.reported >= PROGRESS_INTERVAL_BYTES {
            self.reported = self.bytes;
            (self.progress)(FetchProgress::Receiving { bytes: self.bytes, objects });
        }
        Ok(read)
    }
}

/// Sets a stop flag when the fetch is cancelled or its time is over.
struct StopFlag {
    stop: Arc<AtomicBool>,
    waiting: CancellationToken,
    thread: Option<thread::JoinHandle<()>>,
}

impl StopFlag {
    fn start(context: &Context) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let waiting = context.cancel.child_token();
        let (flag, ended, deadline) = (stop.clone(), waiting.clone(), context.deadline);
        let thread = thread::spawn(move || {
            wait_until(ended.cancelled(), deadline);
            flag.store(true, Ordering::Relaxed);
        });
        Self { stop, waiting, thread: Some(thread) }
    }
}

impl Drop for StopFlag {
    fn drop(&mut self) {
        // The work is done, so the flag is no longer read.
        self.waiting.cancel();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
