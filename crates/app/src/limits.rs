//! Configurable limits of sizes and times.

use std::time::Duration;

/// The limits of one server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum size of a JSON body, in bytes.
    pub json_body: u64,
    /// Maximum size of the body of a content change, in bytes.
    pub content_body: u64,
    /// Maximum size of an uploaded archive, in bytes.
    pub archive_body: u64,
    /// Maximum total size in bytes of the request bodies that are received into files at the same
    /// time from one caller.
    pub upload_bytes_per_caller: u64,
    /// Maximum total size in bytes of the request bodies that are received into files at the same
    /// time from all callers.
    pub upload_bytes: u64,
    /// Maximum nesting depth of a JSON body.
    pub json_depth: usize,
    /// Maximum time to receive a JSON body.
    pub body_time: Duration,
    /// Maximum unpacked size of one import, in bytes.
    pub import_bytes: u64,
    /// Maximum total size of all caches of Git repositories on disk, in bytes.
    pub git_cache_bytes: u64,
    /// Maximum number of files in one import.
    pub import_files: u64,
    /// Maximum size of one file in an import, in bytes.
    pub import_file_bytes: u64,
    /// Maximum duration of an import.
    pub import_time: Duration,
    /// Maximum size of the cache of responses of published sites in memory, in bytes.
    pub page_cache_bytes: u64,
    /// Maximum size in bytes of the cache of rendered texts in memory, which is used for pages
    /// whose surroundings change.
    pub text_cache_bytes: u64,
    /// Maximum number of requests per minute with the tokens and sessions of one user; 0 for no
    /// limit.
    pub requests_per_user: u32,
    /// Maximum number of requests per minute from one address without a valid token or session; 0
    /// for no limit.
    pub requests_per_address: u32,
    /// Time for which the mail of a notification waits for others.
    pub notification_delay: Duration,
    /// Number of days for which audit events are kept; 0 for no limit.
    pub audit_days: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            json_body: 2 << 20,
            content_body: 64 << 20,
            archive_body: 1 << 30,
            upload_bytes_per_caller: 2 << 30,
            upload_bytes: 16 << 30,
            json_depth: 200,
            body_time: Duration::from_secs(60),
            import_bytes: 4 << 30,
            git_cache_bytes: 16 << 30,
            import_files: 500_000,
            import_file_bytes: 100 << 20,
            import_time: Duration::from_secs(3_600),
            page_cache_bytes: 32 << 20,
            text_cache_bytes: 8 << 20,
            // A thousand requests per second are far above human use and stop a program that loops.
            requests_per_user: 60_000,
            requests_per_address: 60_000,
            notification_delay: Duration::from_secs(60),
            audit_days: 0,
        }
    }
}

impl Limits {
    /// Returns the limits for fetching a repository.
    pub(crate) fn fetch(&self) -> bindery_git::FetchLimits {
        bindery_git::FetchLimits {
            bytes: self.import_bytes,
            all_bytes: self.git_cache_bytes,
            objects: 2_000_000,
            object_bytes: usize::try_from(self.import_file_bytes).unwrap_or(usize::MAX),
            unpacked: self.import_bytes,
            files: usize::try_from(self.import_files).unwrap_or(usize::MAX),
            time: self.import_time,
        }
    }
}
