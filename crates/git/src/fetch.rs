//! Fetching one commit of a repository into its cache: the first time all of it, later only what
//! is new.

use std::io::{BufReader, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::cache::{Cache, LockError, key, shrink};
use crate::commit::{CommitError, CommitFolder, CommitLimits};
use crate::error::GitError;
use crate::indexing::{Gate, PackError, PackLimits, Writing, WrittenPack};
use crate::packs::Packs;
use crate::protocol::{Context, PackStream, Ref, Session, Want};
use crate::remote::{RefName, Remote};
use bindery_model::OrganizationId;
use bindery_outbound::{BlockingBody, CancellationToken, Client, wait_until};

/// What a repository may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FetchLimits {
    /// Bytes on the disk, per repository.
    pub bytes: u64,
    /// Bytes on the disk of all repositories together; those that were not fetched for the
    /// longest time make room.
    pub all_bytes: u64,
    /// Objects in one pack.
    pub objects: u32,
    /// Bytes of the largest object, unpacked.
    pub object_bytes: usize,
    /// Bytes of all objects and deltas of one pack, and of all files of the commit, unpacked.
    pub unpacked: u64,
    /// Files in the commit.
    pub files: usize,
    /// Time for the whole fetch.
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

/// How far a fetch has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FetchProgress {
    /// Waiting for the server of the repository.
    Connecting,
    /// The pack arrives: so many bytes so far, so many objects when it is complete.
    Receiving {
        /// Bytes so far.
        bytes: u64,
        /// Objects in the pack.
        objects: u32,
    },
    /// The pack is here and its objects are being put in order.
    Indexing {
        /// Objects in the pack.
        objects: u32,
    },
    /// Everything is here.
    Done,
}

/// What to fetch.
pub struct FetchRequest<'a> {
    /// Whose cache to use.
    pub organization: OrganizationId,
    /// The repository.
    pub remote: &'a Remote,
    /// The caller's own name of the repository's cache. With one, fetches of the same address
    /// share a cache whatever credentials they show; without, only those with the same ones do.
    pub cache: Option<&'a str>,
    /// The ref in it.
    pub reference: &'a RefName,
    /// The commit that was imported last. If it is still here, files are listed only when
    /// somebody asks for all of them.
    pub known: Option<&'a str>,
    /// Ends the fetch early.
    pub cancel: CancellationToken,
    /// Is told how far it has come.
    pub progress: &'a (dyn Fn(FetchProgress) + Sync),
}

/// A commit that is here.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The ref; for `HEAD` the branch that it stands for, where the server says so.
    pub reference: String,
    /// The commit's files.
    pub folder: CommitFolder,
    /// Bytes of the pack that had to be sent for it.
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

struct Fetch<'a> {
    request: &'a FetchRequest<'a>,
    gate: &'a Gate,
    context: Context,
    limits: FetchLimits,
    cache: Cache,
}

struct Received {
    bytes: u64,
    objects: u32,
}

impl Fetcher {
    /// Fetches by `client` into `caches`, a folder that belongs to this process alone.
    pub fn new(client: Client, caches: PathBuf, limits: FetchLimits) -> Self {
        Self { client, caches, limits, gate: Arc::default() }
    }

    /// Fetches the commit of a ref. Blocks; other fetches of the same repository wait.
    ///
    /// # Errors
    /// See [`GitError`]. Whatever the error, the cache stays usable.
    pub fn fetch(&self, request: &FetchRequest<'_>) -> Result<Fetched, GitError> {
        let context = self.context(request);
        (request.progress)(FetchProgress::Connecting);
        let cache = self.lock(request, &context)?;
        let mut session = Session::open(context.clone(), request.reference)?;
        let found = session.find(request.reference)?;
        let mut fetch = Fetch { request, gate: &self.gate, context, limits: self.limits, cache };
        let fetched = fetch.bring(&session, &found)?;
        // Only what came can have made them too many. The cache at hand stays: it is locked.
        if fetched.received_objects > 0
            && let Err(error) = shrink(&self.caches, self.limits.all_bytes)
        {
            tracing::warn!(%error, "the caches of repositories cannot be tidied up");
        }
        (request.progress)(FetchProgress::Done);
        Ok(fetched)
    }

    /// Empties the cache of a repository whose objects could not be read: the next fetch brings
    /// everything anew.
    ///
    /// # Errors
    /// See [`GitError`].
    pub fn discard(&self, request: &FetchRequest<'_>) -> Result<(), GitError> {
        let context = self.context(request);
        self.lock(request, &context)?.clear().map_err(|error| disk(&context, &error))
    }

    fn context(&self, request: &FetchRequest<'_>) -> Context {
        Context {
            client: self.client.clone(),
            remote: request.remote.clone(),
            cancel: request.cancel.clone(),
            deadline: Instant::now() + self.limits.time,
            time: self.limits.time,
        }
    }

    fn lock(&self, request: &FetchRequest<'_>, context: &Context) -> Result<Cache, GitError> {
        Cache::lock(
            &self.caches,
            request.organization,
            &key(request.remote, request.cache),
            &request.cancel,
            context.deadline,
        )
        .map_err(|error| match error {
            LockError::Io(error) => disk(context, &error),
            LockError::Stopped if context.cancel.is_cancelled() => GitError::Cancelled,
            LockError::Stopped => context.out_of_time(),
        })
    }

    /// Forgets all caches of an organization that is deleted.
    ///
    /// # Errors
    /// When the files cannot be deleted.
    pub fn forget(&self, organization: OrganizationId) -> std::io::Result<()> {
        match std::fs::remove_dir_all(self.caches.join(organization.as_str())) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

impl Fetch<'_> {
    fn bring(&mut self, session: &Session, found: &Ref) -> Result<Fetched, GitError> {
        let mut received = Received { bytes: 0, objects: 0 };
        let had = self.cache.bytes() > 0;
        if !self.cache.has_tip(&found.object) {
            received = self.receive_or_start_anew(session, found)?;
        }
        let folder = match self.open(found) {
            Err(GitError::Damaged { .. }) if had => {
                tracing::warn!(remote = %self.request.remote.url, "a cache is damaged; cloning anew");
                self.clear()?;
                received = self.receive(session, found)?;
                self.open_fresh(found)?
            }
            Err(error @ GitError::Damaged { .. }) => return Err(self.incomplete(error)),
            opened => opened?,
        };
        self.cache.set_tip(&found.name, &found.object, &folder.commit().oid);
        self.cache.save().map_err(|error| self.disk(&error))?;
        Ok(Fetched {
            reference: found.target.clone().unwrap_or_else(|| found.name.clone()),
            folder,
            received_bytes: received.bytes,
            received_objects: received.objects,
        })
    }

    /// What cannot be built on the present cache may work on an empty one.
    fn receive_or_start_anew(
        &mut self,
        session: &Session,
        found: &Ref,
    ) -> Result<Received, GitError> {
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

    fn receive(&mut self, session: &Session, found: &Ref) -> Result<Received, GitError> {
        let have = self.cache.commits();
        let packs = self.packs()?;
        let limit = self.limits.bytes.saturating_sub(self.cache.bytes());
        let want = Want { object: found.object, have: &have, limit };
        let mut stream = session.pack(&want)?;
        let objects = self.write(&mut stream, packs);
        // The stream knows better than the reader of the pack why reading failed.
        let failure = stream.failure();
        let (objects, data) = match (failure, objects) {
            (Some(GitError::Transport(bindery_outbound::Error::TooLarge { .. })), _) => {
                return Err(self.too_large(format!("{} bytes", self.limits.bytes)));
            }
            (Some(error), _) => return Err(error),
            (None, written) => written?,
        };
        if let Some(data) = data {
            self.cache.add_pack(&data).map_err(|error| self.disk(&error))?;
        }
        Ok(Received { bytes: stream.received(), objects })
    }

    /// Writes a pack and its index; gives back the number of its objects and the file, none for
    /// an empty one.
    fn write(
        &self,
        stream: &mut PackStream<BlockingBody>,
        packs: Packs,
    ) -> Result<(u32, Option<PathBuf>), GitError> {
        let mut header = [0; gix_pack::data::header::SIZE];
        stream.read_exact(&mut header).map_err(|error| self.context.io(&error))?;
        let (_, objects) = gix_pack::data::header::decode(&header)
            .map_err(|_| self.context.protocol("not a pack"))?;
        if objects > self.limits.objects {
            return Err(self.too_large(format!("{} objects", self.limits.objects)));
        }
        if objects == 0 {
            crate::protocol::drain(stream);
            return Ok((0, None));
        }
        let watch = Watch::start(&self.context);
        let counted =
            Counted { stream, objects, bytes: 0, told: 0, progress: self.request.progress };
        let mut reader = BufReader::with_capacity(64 << 10, header.as_slice().chain(counted));
        let limits = &self.limits;
        let writing = Writing {
            folder: &self.cache.packs_folder(),
            limits: PackLimits::new(limits.objects, limits.object_bytes, limits.unpacked),
            bases: &packs,
            gate: self.gate,
            stop: &watch.stop,
            arrived: &|| (self.request.progress)(FetchProgress::Indexing { objects }),
        };
        let written = writing.write(&mut reader).map_err(|error| self.pack_error(error))?;
        crate::protocol::drain(reader);
        let WrittenPack { path } = written;
        Ok((objects, Some(path)))
    }

    fn pack_error(&self, error: PackError) -> GitError {
        if self.context.cancel.is_cancelled() {
            return GitError::Cancelled;
        }
        match error {
            PackError::Stopped => self.context.out_of_time(),
            PackError::Read(error) => self.context.io(&error),
            PackError::Malformed(reason) => {
                self.context.protocol(&format!("a pack that cannot be read: {reason}"))
            }
            PackError::Limit(limit) => self.too_large(limit),
            PackError::Disk(error) => self.disk(&error),
        }
    }

    fn packs(&self) -> Result<Packs, GitError> {
        let names = self.cache.pack_names();
        let most = PackLimits::read_bytes(self.limits.object_bytes);
        Packs::open(&self.cache.packs_folder(), &names, most)
            .map_err(|error| self.damaged(error.probable_cause().to_string()))
    }

    fn open(&self, found: &Ref) -> Result<CommitFolder, GitError> {
        let packs = Arc::new(self.packs()?);
        let limits = CommitLimits { files: self.limits.files, bytes: self.limits.unpacked };
        let opened = CommitFolder::open(packs, found.object, limits);
        let listed = opened.and_then(|folder| {
            // What is damaged shows now, while the cache can be made anew.
            if !self.request.known.is_some_and(|known| folder.knows(known)) {
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

    /// Opens a commit of which nothing was here before.
    fn open_fresh(&self, found: &Ref) -> Result<CommitFolder, GitError> {
        self.open(found).map_err(|error| self.incomplete(error))
    }

    /// What is missing from a fresh clone was never sent: fetching it again cannot help.
    fn incomplete(&self, error: GitError) -> GitError {
        match error {
            GitError::Damaged { reason, .. } => {
                self.context.protocol(&format!("a commit that is not complete: {reason}"))
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

    fn disk(&self, error: &std::io::Error) -> GitError {
        disk(&self.context, error)
    }
}

/// The kind alone: the text may name files of this machine.
fn disk(context: &Context, error: &std::io::Error) -> GitError {
    tracing::error!(%error, "a repository's cache cannot be written");
    GitError::Disk { remote: context.name(), reason: error.kind().to_string() }
}

/// Tells the progress, every so many bytes.
struct Counted<'a> {
    stream: &'a mut PackStream<BlockingBody>,
    objects: u32,
    bytes: u64,
    told: u64,
    progress: &'a (dyn Fn(FetchProgress) + Sync),
}

const TELL_EVERY: u64 = 1 << 20;

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.stream.read(into)?;
        self.bytes += read as u64;
        let objects = self.objects;
        if self.told == 0 || self.bytes - self.told >= TELL_EVERY {
            self.told = self.bytes;
            (self.progress)(FetchProgress::Receiving { bytes: self.bytes, objects });
        }
        Ok(read)
    }
}

/// Stops work that looks at a flag when it is cancelled or its time is over.
struct Watch {
    stop: Arc<AtomicBool>,
    waiting: CancellationToken,
    thread: Option<thread::JoinHandle<()>>,
}

impl Watch {
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

impl Drop for Watch {
    fn drop(&mut self) {
        // The work is done: nobody looks at the flag any more.
        self.waiting.cancel();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
