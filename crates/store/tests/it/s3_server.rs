//! An S3 server in the test process that stores objects in a folder.

use std::path::Path;

use bindery_store::ObjectsConfig;
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A running server. It stops when this value is dropped.
pub(crate) struct S3Server {
    task: JoinHandle<()>,
    address: std::net::SocketAddr,
}

impl S3Server {
    /// Starts a server with one bucket, named `bucket`.
    pub(crate) async fn start(root: &Path) -> Self {
        std::fs::create_dir_all(root.join("bucket")).unwrap();
        let mut service = S3ServiceBuilder::new(s3s_fs::FileSystem::new(root).unwrap());
        service.set_auth(SimpleAuth::from_single("key", "secret"));
        let service = service.build();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let service = service.clone();
                tokio::spawn(async move {
                    let server = Builder::new(hyper_util::rt::TokioExecutor::new());
                    // A client that disconnects must not fail the test.
                    let _ = server.serve_connection(TokioIo::new(socket), service).await;
                });
            }
        });
        Self { task, address }
    }

    pub(crate) fn config(&self, secret: &str) -> ObjectsConfig {
        ObjectsConfig::Url(format!(
            "s3://bucket/in/here?endpoint=http://{}&region=us-east-1\
             &access_key_id=key&secret_access_key={secret}",
            self.address
        ))
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}
