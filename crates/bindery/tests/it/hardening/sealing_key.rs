//! The sealing key: configured keys, keys shared between servers, and rejection of wrong keys.

use bindery_testkit::{Engine, Installation};

const KEY: &str = "8f5d3c1b7a9e0246813579bdf0eca8642f1d3b5a798c6e4f20123456789abcde";
const OTHER: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

fn installation(engine: Engine) -> Installation {
    Installation::new(env!("CARGO_BIN_EXE_bindery"), engine)
}

fn refused(installation: &Installation, reason: &str) {
    let refused = installation.try_start().unwrap_err();
    assert_eq!(refused.status.code(), Some(1));
    let last = refused.log.lines().last().unwrap();
    assert!(last.contains(reason), "{last}");
    for key in [KEY, OTHER] {
        assert!(!refused.log.contains(key), "{last}");
    }
}

#[test]
fn a_configured_key_belongs_to_the_store() {
    for engine in Engine::all() {
        let first = installation(engine).variable("BINDERY_SEALING_KEY", KEY);
        assert!(first.start().stop().success());
        assert!(!first.data().join("sealing.key").exists());
        assert!(first.start().stop().success());

        let first = first.variable("BINDERY_SEALING_KEY", OTHER);
        refused(&first, "encrypted with another sealing key than this server's");
        let first = first.variable("BINDERY_SEALING_KEY", "");
        refused(&first, "this is not a key of 32 bytes");
        let first = first.without("BINDERY_SEALING_KEY");
        refused(&first, "encrypted with a sealing key that this server does not have");
        assert!(!first.data().join("sealing.key").exists());

        // The same key in uppercase, from a file.
        let file = first.data().join("key");
        std::fs::write(&file, format!("{}\n", KEY.to_uppercase())).unwrap();
        let first = first.variable("BINDERY_SEALING_KEY_FILE", file.to_str().unwrap());
        assert!(first.start().stop().success());
        let first = first.variable("BINDERY_SEALING_KEY", KEY);
        refused(&first, "not both");
    }
}

#[test]
fn a_lost_key_can_be_replaced() {
    for engine in Engine::all() {
        let installation = installation(engine);
        assert!(installation.start().stop().success());
        let file = installation.data().join("sealing.key");
        let made = std::fs::read(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        refused(&installation, "start once with --replace-sealing-key");

        let installation = installation.argument("--replace-sealing-key");
        assert!(installation.start().stop().success());
        assert_ne!(std::fs::read(&file).unwrap(), made);
        std::fs::write(&file, "short").unwrap();
        refused(&installation, "this is not a key of 32 bytes");
    }
}
