//! Keys in the format of OpenSSH, and programs that fail. Running commands of real services is
//! tested with Git.

use bindery_model::Entropy;

use super::*;

/// An Ed25519 key without and one with a passphrase, made by `ssh-keygen` for this test.
const PLAIN: &str = include_str!("tests/plain");
const WITH_PASSPHRASE: &str = include_str!("tests/with_passphrase");

#[test]
fn keys_are_read_and_written_in_the_format_of_openssh() {
    let key = SshKey::parse(PLAIN).unwrap();
    assert_eq!(key.expose(), PLAIN);
    assert_eq!(key.public_line(), include_str!("tests/plain.pub").trim());
    assert_eq!(SshKey::parse(WITH_PASSPHRASE), Err(SshKeyError::Encrypted));
    for text in ["", "x", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----"] {
        assert_eq!(SshKey::parse(text), Err(SshKeyError::Format), "{text}");
    }
    let mut cut = PLAIN.to_owned();
    cut.replace_range(60..130, "");
    assert_eq!(SshKey::parse(&cut), Err(SshKeyError::Format));
}

#[test]
fn new_keys_can_be_read() {
    let key = SshKey::generate(&Entropy::seeded(1)).unwrap();
    assert_eq!(SshKey::parse(key.expose()).as_ref(), Ok(&key));
    assert!(key.public_line().starts_with("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5"));
    assert_ne!(SshKey::generate(&Entropy::seeded(2)).unwrap(), key);
    assert_eq!(format!("{key:?}"), "SshKey(…)");
}

#[test]
fn signatures_are_valid_for_openssh() {
    let key = SshKey::generate(&Entropy::seeded(1)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (signers, file) = (folder.path().join("signers"), folder.path().join("signature"));
    fs::write(&signers, format!("bindery {}\n", key.public_line())).unwrap();
    fs::write(&file, key.sign("git", b"a text").unwrap()).unwrap();
    let verifies = |namespace: &str, text: &[u8]| {
        let mut verify = Command::new("ssh-keygen");
        verify.args(["-Y", "verify", "-I", "bindery", "-n", namespace, "-f"]).arg(&signers);
        verify.arg("-s").arg(&file).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = verify.stderr(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text).unwrap();
        child.wait().unwrap().success()
    };
    assert!(verifies("git", b"a text"));
    assert!(!verifies("git", b"another text"));
    assert!(!verifies("file", b"a text"));
}

#[test]
fn messages_of_the_program_are_translated() {
    let error = |messages: &str| translate("host:22", messages);
    let host = "host:22".to_owned();
    assert_eq!(
        error("git@host: Permission denied (publickey).\n"),
        Error::Denied { host: host.clone() }
    );
    assert!(matches!(error("Host key verification failed.\n"), Error::HostKey { .. }));
    assert!(matches!(
        error("ssh: connect to host 192.0.2.1 port 22: Connection refused\n"),
        Error::Connect { .. }
    ));
    let reason = "the connection ended".to_owned();
    assert_eq!(error("\n"), Error::Protocol { host, reason });
}
