//! Large objects in an S3-compatible object store.

use std::fs::File;
use std::future::Future;
use std::io::{Read, Seek, Write};
use std::ops::Range;
use std::sync::mpsc;
use std::time::Duration;

use bindery_revision::Hash;
use bytes::Bytes;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientOptions, GetOptions, MultipartUpload, ObjectStore, ObjectStoreExt,
    PutPayload, RetryConfig,
};
use tokio::runtime::Runtime;
use url::Url;

use super::storage::file_name;
use crate::StoreError;

/// Size of one part of a multipart upload, in bytes. S3 accepts up to 10,000 parts of at least 5
/// MiB.
const PART_SIZE: usize = 16 << 20;

/// Number of bytes that one request reads of an object that is copied to a file.
const DOWNLOAD_SIZE: u64 = 4 << 20;

/// An S3-compatible object store. Its requests run on a runtime of their own, so that synchronous
/// transactions can read objects on any thread.
pub(crate) struct S3 {
    client: std::sync::Arc<AmazonS3>,
    prefix: Path,
    runtime: Option<Runtime>,
}

impl S3 {
    /// Opens `s3://bucket/prefix?region=…&endpoint=…`. The query accepts all options of the client
    /// by their keys.
    pub(crate) fn open(url: &str) -> Result<Self, StoreError> {
        // The URL may contain a secret, so errors name the part and never include the text.
        let url = Url::parse(url)
            .map_err(|error| StoreError::Config(format!("the object store URL: {error}")))?;
        let bucket = url.host_str().filter(|_| url.scheme() == "s3").ok_or_else(|| {
            StoreError::Config("the object store URL is not s3://bucket/prefix".to_owned())
        })?;
        // The first installed provider stays, and all providers in this process are ring.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = AmazonS3Builder::from_env()
            .with_bucket_name(bucket)
            .with_retry(RetryConfig {
                backoff: BackoffConfig::default(),
                max_retries: 4,
                retry_timeout: Duration::from_secs(20),
            })
            .with_client_options(ClientOptions::new().with_timeout(Duration::from_secs(120)));
        for (key, value) in url.query_pairs() {
            let key = key.parse().map_err(|_| {
                StoreError::Config(format!("the object store URL has an unknown option: {key}"))
            })?;
            builder = builder.with_config(key, value);
        }
        if url.query_pairs().any(|(key, value)| key == "endpoint" && value.starts_with("http://")) {
            builder = builder.with_allow_http(true);
        }
        let client = builder
            .build()
            .map_err(|error| StoreError::Config(format!("the object store: {error}")))?;
        let prefix = Path::from_url_path(url.path())
            .map_err(|error| StoreError::Config(format!("the object store's prefix: {error}")))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("object-store")
            .enable_all()
            .build()
            .map_err(|error| StoreError::unavailable("start the object store's thread", error))?;
        Ok(Self { client: std::sync::Arc::new(client), prefix, runtime: Some(runtime) })
    }

    fn path(&self, hash: &Hash) -> Path {
        let (folder, file) = file_name(hash);
        self.prefix.clone().join(folder).join(file)
    }

    pub(crate) fn write(&self, hash: &Hash, bytes: Bytes) -> Result<(), StoreError> {
        let (client, path) = (self.client.clone(), self.path(hash));
        self.wait(async move { client.put(&path, PutPayload::from(bytes)).await.map(drop) })
    }

    pub(crate) fn write_file(&self, hash: &Hash, mut file: File) -> Result<(), StoreError> {
        let (client, path) = (self.client.clone(), self.path(hash));
        let mut upload = self.wait(async move { client.put_multipart(&path).await })?;
        loop {
            let mut part = Vec::with_capacity(PART_SIZE);
            let read = (&mut file).take(PART_SIZE as u64).read_to_end(&mut part);
            let step = match read {
                Ok(0) => break,
                Ok(_) => self.wait(upload.put_part(PutPayload::from(Bytes::from(part)))),
                Err(error) => Err(StoreError::unavailable("read a temporary file", error)),
            };
            if let Err(error) = step {
                // Uploaded parts cost money until the upload is aborted.
                let _ = self.wait(async move { upload.abort().await });
                return Err(error);
            }
        }
        self.wait(async move { upload.complete().await.map(drop) })
    }

    pub(crate) fn read(&self, hash: &Hash, range: Option<Range<u64>>) -> Result<Bytes, StoreError> {
        let (client, path) = (self.client.clone(), self.path(hash));
        let options = GetOptions::new().with_range(range);
        self.wait(async move { client.get_opts(&path, options).await?.bytes().await })
    }

    /// Copies an object to a temporary file without a name, part by part.
    pub(crate) fn download(&self, hash: &Hash) -> Result<File, StoreError> {
        let error = |error| StoreError::unavailable("write a temporary file", error);
        let (client, path) = (self.client.clone(), self.path(hash));
        let size = self.wait(async move { client.head(&path).await.map(|meta| meta.size) })?;
        let mut file = tempfile::tempfile().map_err(error)?;
        let mut at = 0;
        while at < size {
            let end = (at + DOWNLOAD_SIZE).min(size);
            file.write_all(&self.read(hash, Some(at..end))?).map_err(error)?;
            at = end;
        }
        file.rewind().map_err(error)?;
        Ok(file)
    }

    pub(crate) fn delete(&self, hash: &Hash) -> Result<(), StoreError> {
        let (client, path) = (self.client.clone(), self.path(hash));
        self.wait(async move {
            match client.delete(&path).await {
                Err(object_store::Error::NotFound { .. }) => Ok(()),
                result => result,
            }
        })
    }

    /// Returns the names of the files in a subfolder.
    pub(crate) fn list(&self, folder: &str) -> Result<Vec<String>, StoreError> {
        let (client, prefix) = (self.client.clone(), self.prefix.clone().join(folder));
        let found = self.wait(async move { client.list_with_delimiter(Some(&prefix)).await })?;
        let names = found.objects.iter().filter_map(|object| object.location.filename());
        Ok(names.map(str::to_owned).collect())
    }

    /// Runs a request and blocks until it completes.
    fn wait<T: Send + 'static>(
        &self,
        request: impl Future<Output = object_store::Result<T>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = mpsc::sync_channel(1);
        let gone = || StoreError::Unavailable("the object store's thread has stopped".to_owned());
        self.runtime.as_ref().ok_or_else(gone)?.spawn(async move {
            // The caller waits for the response, so sending cannot fail.
            let _ = answer.send(request.await);
        });
        answered
            .recv()
            .map_err(|_| gone())?
            .map_err(|error| StoreError::unavailable("the object store", error))
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        // Waiting for a runtime to stop inside another runtime would panic.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
