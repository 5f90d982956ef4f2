//! Receives request bodies: short ones in memory, longer ones in temporary files, within a quota
//! per caller and a quota for all callers together.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bindery_app::Limits;
use bindery_http::{BodyPieces, ReadBodyError, RequestBody};
use bindery_model::{Error, Result, UserId};
use bytes::{Bytes, BytesMut};
use tempfile::TempPath;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum size in bytes of a body that is held in memory while it arrives.
const MAX_MEMORY_BYTES: u64 = 64 << 10;
/// Total size in KiB of the longer bodies that may be loaded for parsing at the same time.
const MAX_PARSED_KIB: u32 = 64 << 10;
/// Seconds after which a caller with an exhausted quota may retry.
const RETRY_SECONDS: u32 = 30;

/// The caller whose quota a body uses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Sender {
    /// A person, with whatever credential.
    Person(UserId),
    /// The address of an anonymous caller.
    Address(IpAddr),
}

/// The bodies that are stored in files, and their quotas.
#[derive(Debug)]
pub(crate) struct Bodies {
    folder: PathBuf,
    caller_quota: u64,
    total_quota: u64,
    usage: Mutex<Usage>,
    parsed: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct Usage {
    senders: HashMap<Sender, u64>,
    all: u64,
}

/// Bytes that a body uses of its sender's quota; dropping the value releases them.
#[derive(Debug)]
pub(crate) struct QuotaShare {
    bodies: Arc<Bodies>,
    sender: Sender,
    bytes: u64,
}

/// A body that has not been read yet.
#[derive(Debug)]
pub(crate) struct ArrivingBody {
    body: RequestBody,
    share: QuotaShare,
}

/// A body that has been read.
#[derive(Debug)]
pub(crate) enum Received {
    /// The body is in memory.
    Short(Bytes, QuotaShare),
    /// The body is in a file.
    Long(File, TempPath, QuotaShare),
}

/// A large body in a temporary file, which is deleted when the value is dropped.
#[derive(Debug)]
pub struct Upload {
    file: TempPath,
    _share: QuotaShare,
}

impl Upload {
    /// Returns the path of the file.
    pub fn path(&self) -> PathBuf {
        self.file.to_path_buf()
    }
}

/// Builds the error for a body that takes too long.
pub(crate) fn body_timeout() -> Error {
    Error::invalid("the body did not arrive in time")
}

fn too_large(limit: u64) -> Error {
    Error::too_large(format!("the body is larger than {limit} bytes, the limit"))
}

fn file_error(error: std::io::Error) -> Error {
    Error::internal(format!("cannot write the body of a request to a file: {error}"))
}

impl Bodies {
    pub(crate) fn new(folder: PathBuf, limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            folder,
            caller_quota: limits.upload_bytes_per_caller,
            total_quota: limits.upload_bytes,
            usage: Mutex::default(),
            parsed: Arc::new(Semaphore::new(MAX_PARSED_KIB as usize)),
        })
    }

    /// Assigns an arriving body to the quota of its sender.
    pub(crate) fn track(self: &Arc<Self>, sender: Sender, body: RequestBody) -> ArrivingBody {
        let share = QuotaShare { bodies: Arc::clone(self), sender, bytes: 0 };
        ArrivingBody { body, share }
    }
}

impl QuotaShare {
    /// Adds bytes that are stored in a file to the quota.
    ///
    /// # Errors
    /// 429 if the quota of the sender or the total quota is exhausted.
    fn add(&mut self, bytes: u64) -> Result<()> {
        let Bodies { caller_quota, total_quota, usage, .. } = &*self.bodies;
        let mut usage = usage.lock().unwrap_or_else(PoisonError::into_inner);
        let own = usage.senders.get(&self.sender).copied().unwrap_or(0);
        let refusal = if own.saturating_add(bytes) > *caller_quota {
            format!(
                "the bodies of your unfinished requests would exceed {caller_quota} bytes, the limit"
            )
        } else if usage.all.saturating_add(bytes) > *total_quota {
            format!(
                "the bodies of all unfinished requests would exceed {total_quota} bytes, the limit"
            )
        } else {
            usage.senders.insert(self.sender, own + bytes);
            usage.all += bytes;
            self.bytes += bytes;
            return Ok(());
        };
        Err(Error::rate_limited(refusal).retry_after(RETRY_SECONDS))
    }
}

impl Drop for QuotaShare {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut usage = self.bodies.usage.lock().unwrap_or_else(PoisonError::into_inner);
        usage.all = usage.all.saturating_sub(self.bytes);
        if let Some(own) = usage.senders.get_mut(&self.sender) {
            *own = own.saturating_sub(self.bytes);
            if *own == 0 {
                usage.senders.remove(&self.sender);
            }
        }
    }
}

impl ArrivingBody {
    /// Reads the body to its end. `time` is the maximum wait for each piece.
    ///
    /// # Errors
    /// - 413 if the body has more than `limit` bytes; `Content-Length` is checked before reading.
    /// - 400 if a piece takes longer than `time`, the client is too slow or the connection breaks.
    /// - 429 if a quota is exhausted.
    pub(crate) async fn receive(self, limit: u64, time: Duration) -> Result<Received> {
        let Self { body, mut share } = self;
        if body.min_remaining_bytes() > limit {
            return Err(too_large(limit));
        }
        let mut pieces = BodyPieces::new(body);
        let mut start: Option<Bytes> = None;
        let mut rest = BytesMut::new();
        let mut file: Option<(File, TempPath)> = None;
        let mut total: u64 = 0;
        while let Some(piece) = next(&mut pieces, time).await? {
            total += piece.len() as u64;
            if total > limit {
                return Err(too_large(limit));
            }
            if let Some((file, _)) = &mut file {
                share.add(piece.len() as u64)?;
                file.write_all(&piece).map_err(file_error)?;
            } else if start.is_none() && total <= MAX_MEMORY_BYTES {
                start = Some(piece);
            } else if total <= MAX_MEMORY_BYTES {
                rest.extend_from_slice(&piece);
            } else {
                share.add(total)?;
                let (mut created, path) = share.bodies.file()?;
                for part in [start.take().unwrap_or_default(), rest.split().freeze(), piece] {
                    created.write_all(&part).map_err(file_error)?;
                }
                file = Some((created, path));
            }
        }
        Ok(match (file, start) {
            (Some((file, path)), _) => Received::Long(file, path, share),
            (None, Some(start)) if rest.is_empty() => Received::Short(start, share),
            (None, start) => {
                let start = start.unwrap_or_default();
                let whole = [&start[..], &rest[..]].concat();
                Received::Short(whole.into(), share)
            }
        })
    }
}

async fn next(pieces: &mut BodyPieces, time: Duration) -> Result<Option<Bytes>> {
    let piece = tokio::time::timeout(time, pieces.next()).await.map_err(|_| body_timeout())?;
    piece.map_err(|error| match error {
        ReadBodyError::TooSlow => {
            Error::invalid("the body arrived more slowly than the minimum transfer rate")
        }
        ReadBodyError::Broken | ReadBodyError::TooLarge => {
            Error::invalid("the connection broke before the body was complete")
        }
    })
}

impl Bodies {
    fn file(&self) -> Result<(File, TempPath)> {
        std::fs::create_dir_all(&self.folder).map_err(file_error)?;
        let file = tempfile::NamedTempFile::new_in(&self.folder).map_err(file_error)?;
        Ok(file.into_parts())
    }
}

impl Received {
    /// Returns the bytes once there is memory for them, with the permit that releases this memory.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub(crate) async fn into_bytes(self) -> Result<(Bytes, Option<OwnedSemaphorePermit>)> {
        match self {
            Self::Short(bytes, _) => Ok((bytes, None)),
            Self::Long(mut file, _path, share) => {
                let kib = u32::try_from(share.bytes >> 10).unwrap_or(u32::MAX);
                let room = Arc::clone(&share.bodies.parsed);
                let permit = room.acquire_many_owned(kib.clamp(1, MAX_PARSED_KIB)).await;
                let permit =
                    permit.map_err(|_| Error::unavailable("the server is shutting down"))?;
                let mut bytes = Vec::with_capacity(usize::try_from(share.bytes).unwrap_or(0));
                file.rewind().map_err(file_error)?;
                file.read_to_end(&mut bytes).map_err(file_error)?;
                Ok((bytes.into(), Some(permit)))
            }
        }
    }

    /// Returns the body as a file.
    ///
    /// # Errors
    /// Fails if the file cannot be written, and with 429 if a quota is exhausted.
    pub(crate) fn into_upload(self) -> Result<Upload> {
        match self {
            Self::Long(_, file, share) => Ok(Upload { file, _share: share }),
            Self::Short(bytes, mut share) => {
                share.add(bytes.len() as u64)?;
                let (mut file, path) = share.bodies.file()?;
                file.write_all(&bytes).map_err(file_error)?;
                Ok(Upload { file: path, _share: share })
            }
        }
    }
}
