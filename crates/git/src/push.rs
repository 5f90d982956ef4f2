//! Pushes a commit to a branch, and keeps its objects in the cache of the repository.

use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::sync::atomic::AtomicBool;

use gix_hash::ObjectId;

use crate::error::GitError;
use crate::export::WrittenCommit;
use crate::fetch::{FetchRequest, Fetcher};
use crate::protocol::{PushOutcome, PushSession};

/// The result of a push.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pushed {
    /// The branch points to the commit.
    Done,
    /// Somebody else moved the branch meanwhile.
    Moved,
    /// The server refused the commit, for the reason that it gave.
    Refused(String),
}

impl Fetcher {
    /// Moves a branch from the commit `old`, which is `None` for a new branch, to a written commit.
    /// Blocks the thread. The ref of `request` must be a full name.
    ///
    /// # Errors
    /// See [`GitError`]. After an error the push may have happened; a fetch shows whether it did.
    pub fn push(
        &self,
        request: &FetchRequest<'_>,
        old: Option<&str>,
        commit: &WrittenCommit,
    ) -> Result<Pushed, GitError> {
        let context = self.context(request);
        let id = |text: &str| {
            text.parse::<ObjectId>().map_err(|_| context.protocol("a commit id is malformed"))
        };
        let (old, new) = (old.map(id).transpose()?, id(&commit.oid)?);
        let session = PushSession::open(context.clone(), request.reference.as_str())?;
        match session.push(old, new, &commit.pack, commit.pack_bytes)? {
            PushOutcome::Done => {}
            PushOutcome::Moved => return Ok(Pushed::Moved),
            PushOutcome::Refused(reason) => return Ok(Pushed::Refused(reason)),
        }
        if commit.has_objects()
            && let Err(error) = self.keep(request, commit, new)
        {
            // The next fetch transfers the objects.
            tracing::info!(%error, "a pushed commit is not kept in the cache");
        }
        Ok(Pushed::Done)
    }

    /// Deletes the branch of a request, if it is still at the commit `old`. Blocks the thread.
    ///
    /// # Errors
    /// See [`GitError`].
    pub fn delete_branch(&self, request: &FetchRequest<'_>, old: &str) -> Result<Pushed, GitError> {
        let context = self.context(request);
        let old =
            old.parse::<ObjectId>().map_err(|_| context.protocol("a commit id is malformed"))?;
        let session = PushSession::open(context, request.reference.as_str())?;
        Ok(match session.delete(old)? {
            PushOutcome::Done => Pushed::Done,
            PushOutcome::Moved => Pushed::Moved,
            PushOutcome::Refused(reason) => Pushed::Refused(reason),
        })
    }

    /// Adds the objects of a pushed commit to the cache.
    fn keep(
        &self,
        request: &FetchRequest<'_>,
        commit: &WrittenCommit,
        id: ObjectId,
    ) -> Result<(), GitError> {
        let mut fetch = self.lock(request)?;
        let mut pack: &File = &commit.pack;
        pack.seek(SeekFrom::Start(0)).map_err(|error| fetch.disk(&error))?;
        let (mut from, stop) = (BufReader::new(pack), AtomicBool::new(false));
        let path = fetch.write_pack(&mut from, &fetch.packs()?, &stop, &|| {})?;
        let kept = fetch.cache.add_pack(&path).and_then(|()| {
            fetch.cache.set_tip(request.reference.as_str(), &id, &commit.oid);
            fetch.cache.save()
        });
        kept.map_err(|error| fetch.disk(&error))
    }
}
