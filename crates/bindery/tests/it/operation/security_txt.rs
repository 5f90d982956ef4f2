//! `/.well-known/security.txt`, which settings of the server define.

use bindery_testkit::Installation;

use crate::support::{TestEnv, each_engine, each_engine_with, raw};

const PATH: &str = "/.well-known/security.txt";

#[test]
fn settings_define_the_contact() {
    let configure = |installation: Installation| {
        installation
            .argument("--security-contact")
            .argument("security@example.org, https://example.org/report")
            .variable("BINDERY_SECURITY_EXPIRES", "2090-01-31")
    };
    each_engine_with(configure, async |env: &mut TestEnv| {
        let found = env.client.anonymous().get(PATH, &[]).await.expect(200);
        assert_eq!(found.header("content-type"), "text/plain; charset=utf-8");
        assert_eq!(
            found.text(),
            "Contact: mailto:security@example.org\n\
             Contact: https://example.org/report\n\
             Expires: 2090-01-31T00:00:00.000Z\n"
        );
        let head = raw(env.server(), "HEAD", PATH, "", b"");
        assert_eq!((head.status, head.text().len()), (200, 0));
        assert_eq!(raw(env.server(), "POST", PATH, "", b"").status, 405);
    });
}

#[test]
fn without_a_contact_there_is_no_file() {
    each_engine(async |env: &mut TestEnv| {
        let _missing = env.client.anonymous().get(PATH, &[]).await.expect(404);
    });
}
