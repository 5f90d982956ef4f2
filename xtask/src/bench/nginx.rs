//! The server that static responses are compared with: nginx with one worker in a minimal
//! configuration.

use super::load::program;
use crate::process::Group;
use anyhow::{Result, bail};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub(super) struct Nginx {
    server: Group,
    folder: TempDir,
    port: u16,
}

impl Nginx {
    pub(super) fn start() -> Result<Self> {
        let nginx = program("nginx", "nginx-light")?;
        let folder = tempfile::Builder::new().prefix("bindery-nginx-").tempdir()?;
        std::fs::create_dir(folder.path().join("www"))?;
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let configuration = folder.path().join("nginx.conf");
        std::fs::write(&configuration, configuration_text(folder.path(), port))?;
        let mut command = Command::new(nginx);
        command.arg("-e").arg(folder.path().join("error.log")).arg("-p").arg(folder.path());
        command.arg("-c").arg(&configuration).stdin(Stdio::null());
        let mut started = Self { server: Group::start(&mut command)?, folder, port };
        started.wait()?;
        Ok(started)
    }

    /// Serves these bytes and, if given, their gzip form. Returns the address.
    pub(super) fn serve(&self, name: &str, plain: &[u8], gzip: Option<&[u8]>) -> Result<String> {
        let file = self.folder.path().join("www").join(name);
        std::fs::write(&file, plain)?;
        if let Some(gzip) = gzip {
            std::fs::write(self.folder.path().join("www").join(format!("{name}.gz")), gzip)?;
        }
        Ok(format!("http://127.0.0.1:{}/{name}", self.port))
    }

    pub(super) fn process(&self) -> u32 {
        self.server.child.id()
    }

    fn wait(&mut self) -> Result<()> {
        let patience = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            if self.server.child.try_wait()?.is_some() || Instant::now() > patience {
                let log = std::fs::read_to_string(self.folder.path().join("error.log"))?;
                bail!("nginx did not start: {log}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

fn configuration_text(folder: &Path, port: u16) -> String {
    let folder = folder.display();
    let user = if rustix::process::geteuid().is_root() { "user root;" } else { "" };
    format!(
        "{user}
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/tmp;
    proxy_temp_path {folder}/tmp;
    fastcgi_temp_path {folder}/tmp;
    uwsgi_temp_path {folder}/tmp;
    scgi_temp_path {folder}/tmp;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000000;
    open_file_cache max=1000 inactive=1h;
    open_file_cache_valid 1h;
    types {{ text/html html; application/json json; }}
    server {{
        listen 127.0.0.1:{port};
        root {folder}/www;
        gzip_static on;
    }}
}}
"
    )
}
