//! Malicious repositories and servers: the job fails with a clear message, memory stays bounded,
//! and the jobs of other organizations continue.

use bindery_testkit::SmtpServer;
use bindery_testkit::git_server::{Change, Fault, GitServer, comb_pack};
use serde_json::{Value, json};

use crate::support::{TestEnv, each_engine_with, on_sqlite, until};

fn request(git: &GitServer) -> Value {
    json!({ "url": git.url("docs.git"), "ref": "refs/heads/main" })
}

fn server_with_docs() -> GitServer {
    let git = GitServer::start();
    git.repository("docs.git").commit("main", "x", [Change::file("README.md", "# Docs")]);
    git
}

/// Returns the peak memory of a process in MiB.
fn peak_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() / 1024
}

#[test]
fn hostile_packs_fail_only_their_job() {
    on_sqlite(async |env: &mut TestEnv| {
        let git = server_with_docs();
        let space = env.space("Hostile").await;
        // An advertisement of 64 MiB that consists of empty packets.
        let mut refs = b"001e# service=git-upload-pack\n0000000eversion 2\n".to_vec();
        refs.extend(b"0004".repeat((16 << 20) - 64));
        // 4.9 GiB in 130 KB, and 1.3 GiB if all bases were held in memory at once.
        let [sum, held] = [comb_pack(24, 100 << 20), comb_pack(40, 16 << 20)];
        for (fault, code, words) in [
            (Fault::Advertise(refs.into()), "remote", "abilities"),
            (Fault::Pack(sum.into()), "too-large", "unpacks to more than 4294967296 bytes"),
            (Fault::Pack(held.into()), "remote", "the commit is incomplete"),
        ] {
            git.set_fault(fault);
            let job = env.import(&space, &request(&git)).await;
            assert_eq!(job.text_at("/status"), "failed", "{job}");
            assert_eq!(job.text_at("/error/code"), code, "{job}");
            assert!(job.text_at("/error/message").contains(words), "{words}: {job}");
            assert_eq!(job.at("/attempts"), &json!(1), "{job}");
            let peak = peak_memory(env.server().process());
            println!("{code}: at most {peak} MiB so far");
            assert!(peak < 400, "{peak} MiB");
        }
        git.set_fault(Fault::None);
        let job = env.import(&space, &request(&git)).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
    });
}

#[test]
fn slow_servers_do_not_block_other_jobs() {
    let smtp = SmtpServer::start();
    let mailing = |installation: bindery_testkit::Installation| installation.mailing_through(&smtp);
    each_engine_with(mailing, async |env: &mut TestEnv| {
        let slow = server_with_docs();
        slow.set_fault(Fault::StallAfter(0));
        let mut jobs = Vec::new();
        for number in 0..5 {
            let space = env.space(&format!("Slow {number}")).await;
            jobs.push(env.start_import(&space, &request(&slow)).await);
        }
        // The first two occupy all job slots of an organization.
        for job in &jobs[..2] {
            env.job_when(job, |job| job.text_at("/status") == "running").await;
        }
        let before = smtp.received().len();
        let call = env.client.call("inviteUsersToOrganization");
        let body = json!({ "emails": ["ann@example.com"], "role": "read" });
        let call = call.path("organizationId", &env.organization).json(&body);
        let _invited = call.send().await.expect(200);
        until(async || (smtp.received().len() > before).then_some(())).await;

        let title = json!({ "title": "Elsewhere" });
        let made = env.client.call("createOrganization").json(&title).send().await.expect(201);
        let here = std::mem::replace(&mut env.organization, made.text_at("/id").to_owned());
        let space = env.space("Quick").await;
        env.organization = here;
        let quick = server_with_docs();
        let job = env.import(&space, &request(&quick)).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");

        for job in &jobs {
            let now = env.job_when(job, |_| true).await;
            assert!(matches!(now.text_at("/status"), "running" | "queued"), "{now}");
            let _cancelled = env.client.call("cancelJob").path("jobId", job).send().await;
        }
        for job in &jobs {
            assert_eq!(env.ended(job).await.text_at("/status"), "cancelled");
        }
    });
}
