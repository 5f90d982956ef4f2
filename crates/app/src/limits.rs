//! Limits of sizes and times, all configurable.

use std::time::Duration;

/// The limits of one server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a JSON body.
    pub json_body: u64,
    /// Bytes of the body of a content change.
    pub content_body: u64,
    /// Bytes of an uploaded archive.
    pub archive_body: u64,
    /// Bytes of one caller's bodies that are being received, in files.
    pub upload_bytes_per_caller: u64,
    /// Bytes of everybody's bodies that are being received, in files.
    pub upload_bytes: u64,
    /// Nesting of a JSON body.
    pub json_depth: usize,
    /// Maximum time to receive a JSON body.
    pub body_time: Duration,
    /// Bytes that one import may bring in, unpacked.
    pub import_bytes: u64,
    /// Bytes on the disk that all caches of Git repositories may take together.
    pub git_cache_bytes: u64,
    /// Files that one import may bring in.
    pub import_files: u64,
    /// Bytes of one file in an import.
    pub import_file_bytes: u64,
    /// Maximum duration of an import.
    pub import_time: Duration,
    /// Bytes of answers of published sites that are kept in memory.
    pub page_cache_bytes: u64,
    /// Bytes of rendered texts that are kept in memory, for pages whose surroundings change.
    pub text_cache_bytes: u64,
    /// Requests a minute that are answered to the tokens and sessions of one user together; 0: no
    /// limit.
    pub requests_per_user: u32,
    /// Requests a minute that are answered to one address where they show no token or session that
    /// is accepted; 0: no limit.
    pub requests_per_address: u32,
    /// Days for which audit events are kept; 0: for ever.
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
            page_cache_bytes: 36 << 20,
            text_cache_bytes: 12 << 20,
            // Against a program that runs wild: a thousand a second, far from what people do.
            requests_per_user: 60_000,
            requests_per_address: 60_000,
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
