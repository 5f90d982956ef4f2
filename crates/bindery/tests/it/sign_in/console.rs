//! The console pages, used like a browser without scripts.

use bindery_testkit::SmtpServer;

use crate::support::people::second_organization;
use crate::support::{Raw, TestEnv, each_engine, each_engine_with, raw, until};

const PASSWORD: &str = "eleven+lemons+under+a+tin+roof";

/// Submits a form from one of the server's own pages.
fn submit(env: &TestEnv, path: &str, cookie: &str, body: &str) -> Raw {
    let own = env.server().address();
    let headers = format!(
        "Content-Type: application/x-www-form-urlencoded\r\nOrigin: {own}\r\nCookie: {cookie}\r\n"
    );
    raw(env.server(), "POST", path, &headers, body.as_bytes())
}

fn open(env: &TestEnv, path: &str, cookie: &str) -> Raw {
    raw(env.server(), "GET", path, &format!("Cookie: {cookie}\r\n"), b"")
}

/// Returns the cookie that a response sets, in the form of a request header.
fn cookie_of(answer: &Raw) -> String {
    answer.header("set-cookie").split(';').next().unwrap().to_owned()
}

fn hidden(page: &Raw, name: &str) -> String {
    let text = page.text();
    let (_, rest) = text.split_once(&format!("name=\"{name}\" value=\"")).unwrap();
    rest.split('"').next().unwrap().to_owned()
}

#[test]
fn a_browser_signs_in_sets_a_password_and_ends_sessions() {
    each_engine(async |env: &mut TestEnv| {
        assert_eq!(open(env, "/app", "").header("location"), "/app/sign-in");
        let page = open(env, "/app/sign-in", "");
        assert_eq!(page.status, 200);
        assert_eq!(page.header("cache-control"), "no-store");
        assert!(page.header("content-security-policy").contains("frame-ancestors 'none'"));
        // This server sends no mail.
        assert!(!page.text().contains("Send a link"));

        let (token, _) = env.token(&serde_json::json!({ "name": "whole" })).await;
        let entered = submit(env, "/app/sign-in?next=%2Fdocs", "", &format!("token={token}"));
        assert_eq!((entered.status, entered.header("location")), (303, "/docs"));
        let away = format!("token={token}");
        let away = submit(env, "/app/sign-in?next=%2F%2Fevil.example", "", &away);
        assert_eq!((away.status, away.header("location")), (303, "/app"));
        let cookie = cookie_of(&entered);
        let account = open(env, "/app/account", &cookie);
        assert!(account.text().contains("Administrator"), "{}", account.text());
        let csrf = hidden(&account, "csrf");

        let weak = submit(env, "/app/password", &cookie, &format!("csrf={csrf}&password=short"));
        assert_eq!(weak.status, 400);
        assert!(weak.text().contains("guessed too easily"));
        let body = format!("csrf={csrf}&password={PASSWORD}");
        assert_eq!(submit(env, "/app/password", &cookie, &body).status, 200);
        for csrf in ["", "x"] {
            let body = format!("csrf={csrf}&password={PASSWORD}");
            assert_eq!(submit(env, "/app/password", &cookie, &body).status, 403);
        }
        // The other session ended when the password was changed.
        assert_eq!(open(env, "/app/account", &cookie_of(&away)).status, 303);

        let wrong = submit(env, "/app/sign-in", "", "email=admin%40localhost&password=x%22%3E");
        assert_eq!(wrong.status, 401);
        assert!(wrong.text().contains("value=\"admin@localhost\""), "{}", wrong.text());
        assert!(
            wrong.text().contains("The operator of this server can give you a sign-in link"),
            "{}",
            wrong.text()
        );
        let injected = submit(env, "/app/sign-in", "", "email=%22%3E%3Cb%3E&password=x");
        assert_eq!(injected.status, 400);
        assert!(!injected.text().contains("<b>"));
        let body = format!("email=admin%40localhost&password={PASSWORD}");
        let second = submit(env, "/app/sign-in", "", &body);
        assert_eq!(second.status, 303);
        let second = cookie_of(&second);

        another_session_is_ended(env, &cookie, &second, &csrf).await;

        assert_eq!(submit(env, "/app/sign-out", &cookie, "csrf=x").status, 403);
        assert_eq!(open(env, "/app/account", &cookie).status, 200);
        let out = submit(env, "/app/sign-out", &cookie, &format!("csrf={csrf}"));
        assert_eq!((out.status, out.header("location")), (303, "/app/sign-in"));
        assert!(out.header("set-cookie").contains("Max-Age=0"));
        assert_eq!(open(env, "/app/account", &cookie).status, 303);
    });
}

/// Ends the second session from the page of the first.
async fn another_session_is_ended(env: &TestEnv, cookie: &str, second: &str, csrf: &str) {
    let listed = open(env, "/app/account", cookie);
    let session = hidden(&listed, "session");
    let end = |csrf: &str| format!("csrf={csrf}&session={session}");
    assert_eq!(submit(env, "/app/sessions", cookie, &end("x")).status, 403);
    assert_eq!(open(env, "/app/account", second).status, 200);
    assert_eq!(submit(env, "/app/sessions", cookie, &end(csrf)).status, 303);
    assert_eq!(open(env, "/app/account", second).status, 303);
}

#[test]
fn too_many_attempts_show_the_waiting_time() {
    each_engine(async |env: &mut TestEnv| {
        let guess = || submit(env, "/app/sign-in", "", "email=x%40example.com&password=guess");
        let late = (0..30).map(|_| guess()).find(|answer| answer.status == 429).unwrap();
        assert!(late.text().contains("too many attempts"), "{}", late.text());
        let seconds: u32 = late.header("retry-after").parse().unwrap();
        assert!((1..=900).contains(&seconds), "{seconds}");
    });
}

#[test]
fn links_and_invitations_require_a_confirmation() {
    each_engine(async |env: &mut TestEnv| {
        let body = serde_json::json!({
            "email": "ann@example.com", "displayName": "Ann <b>", "role": "read",
            "organization": env.organization,
        });
        let made = env.client.call("createUser").json(&body).send().await.expect(201);
        let address = made.text_at("/signInURL");
        let path = address.strip_prefix(env.server().address()).unwrap();
        // Opening the page does not consume the link.
        for _ in 0..2 {
            let page = open(env, path, "");
            assert_eq!(page.status, 200);
            assert!(page.text().contains("Ann &lt;b&gt;"), "{}", page.text());
        }
        let entered = submit(env, path, "", "");
        assert_eq!((entered.status, entered.header("location")), (303, "/app"));
        let ann = cookie_of(&entered);
        assert!(open(env, "/app/account", &ann).text().contains("ann@example.com"));
        assert_eq!(submit(env, path, "", "").status, 404);
        assert_eq!(open(env, path, "").status, 404);

        let invite = env.client.call("inviteUsersToOrganization");
        let invite = invite.path("organizationId", &env.organization);
        let body = serde_json::json!({ "emails": ["new@example.com"], "role": "edit" });
        let _invited = invite.json(&body).send().await.expect(200);
        let list = env.client.call("listInvitations");
        let list = list.path("organizationId", &env.organization).send().await.expect(200);
        let address = list.text_at("/items/0/urls/accept");
        let path = address.strip_prefix(env.server().address()).unwrap();
        assert!(open(env, path, "").text().contains("Administrator"));
        // The invitation is for another address.
        let other = open(env, path, &ann);
        assert!(other.text().contains("You are signed in as ann@example.com"));
        let accepted = submit(env, path, "", "name=New+Person");
        assert_eq!(accepted.status, 303);
        let page = open(env, "/app/account", &cookie_of(&accepted));
        assert!(page.text().contains("New Person"), "{}", page.text());
        assert_eq!(open(env, path, "").status, 404);
    });
}

#[test]
fn a_sign_in_link_is_mailed_on_request() {
    let smtp = SmtpServer::start();
    each_engine_with(
        |installation| installation.mailing_through(&smtp),
        async |env: &mut TestEnv| {
            let before = smtp.received().len();
            assert!(open(env, "/app/sign-in", "").text().contains("Send a link"));
            let wrong = submit(env, "/app/sign-in", "", "email=admin%40localhost&password=x");
            assert!(wrong.text().contains("request a sign-in link by mail"), "{}", wrong.text());
            for email in ["nobody%40example.com", "admin%40localhost"] {
                let body = format!("email={email}&password=&with=link");
                let asked = submit(env, "/app/sign-in", "", &body);
                assert_eq!(asked.status, 200);
                assert!(asked.text().contains("on its way"), "{}", asked.text());
            }
            let mail = until(async || smtp.received().get(before).cloned()).await;
            assert_eq!(mail.to, ["admin@localhost"]);
            let text = mail.decoded();
            let (_, path) = text.split_once("https://docs.example.org").unwrap();
            let path = path.split_whitespace().next().unwrap();
            let entered = submit(env, path, "", "");
            assert_eq!((entered.status, entered.header("location")), (303, "/app"));
            // Signed-in users are redirected.
            let cookie = cookie_of(&entered);
            for (asked, to) in [("/app/sign-in", "/app"), ("/app/sign-in?next=%2Fdocs", "/docs")] {
                let sent = open(env, asked, &cookie);
                assert_eq!((sent.status, sent.header("location")), (303, to));
            }
        },
    );
}

#[test]
fn signed_in_users_accept_invitations_by_form() {
    each_engine(async |env: &mut TestEnv| {
        let second = second_organization(env).await;
        let (token, _) = env.token(&serde_json::json!({ "name": "whole" })).await;
        let admin = cookie_of(&submit(env, "/app/sign-in", "", &format!("token={token}")));
        let body = serde_json::json!({
            "email": "ann@example.com", "displayName": "Ann", "role": "read",
            "organization": env.organization,
        });
        let made = env.client.call("createUser").json(&body).send().await.expect(201);
        let link = made.text_at("/signInURL").strip_prefix(env.server().address()).unwrap();
        let ann = cookie_of(&submit(env, link, "", ""));
        let invite = env.client.call("inviteUsersToOrganization");
        let body = serde_json::json!({ "emails": ["ann@example.com"], "role": "edit" });
        let _invited = invite.path("organizationId", &second).json(&body).send().await.expect(200);
        let list = env.client.call("listInvitations").path("organizationId", &second);
        let list = list.send().await.expect(200);
        let address = list.text_at("/items/0/urls/accept");
        let path = address.strip_prefix(env.server().address()).unwrap();

        // The page for an existing account equals the page for a new address, but requires signing
        // in.
        assert!(open(env, path, "").text().contains("Your name"));
        let sent = submit(env, path, "", "name=Ann");
        assert_eq!(sent.status, 303);
        assert!(sent.header("location").starts_with("/app/sign-in?next="), "{sent:?}");
        let csrf = hidden(&open(env, path, &ann), "csrf");
        let others = hidden(&open(env, "/app/account", &admin), "csrf");
        for wrong in ["", "csrf=x", &format!("csrf={others}")] {
            assert_eq!(submit(env, path, &ann, wrong).status, 403, "{wrong}");
        }
        // Another account cannot accept the invitation.
        assert_eq!(submit(env, path, &admin, &format!("csrf={others}")).status, 404);
        let accepted = submit(env, path, &ann, &format!("csrf={csrf}"));
        assert_eq!((accepted.status, accepted.header("location")), (303, "/app"));
        assert_eq!(accepted.header("set-cookie"), "");
        let cookie = format!("Cookie: {ann}\r\n");
        let list = raw(env.server(), "GET", "/v1/orgs", &cookie, b"");
        let list: serde_json::Value = serde_json::from_slice(&list.body).unwrap();
        assert_eq!(list["count"], 2, "{list}");
    });
}

#[test]
fn sign_in_links_return_to_the_invitation() {
    each_engine(async |env: &mut TestEnv| {
        let second = second_organization(env).await;
        let ann = env.person("ann@example.com", Some("read")).await;
        let body = serde_json::json!({
            "email": "ann@example.com", "displayName": "Ann", "role": "read",
            "organization": second,
        });
        let made = env.client.call("createUser").json(&body).send().await.expect(201);
        let path = made.text_at("/signInURL").strip_prefix(env.server().address()).unwrap();
        for answer in [open(env, path, ""), submit(env, path, "", "")] {
            assert_eq!(answer.status, 303);
            let location = answer.header("location");
            assert!(location.starts_with("/app/invitations/h"), "{location}");
            assert_eq!(answer.header("set-cookie"), "");
        }
        let token = ann.call("createToken").json(&serde_json::json!({ "name": "x" }));
        let token = token.send().await.expect(201).text_at("/token").to_owned();
        let ann = cookie_of(&submit(env, "/app/sign-in", "", &format!("token={token}")));
        let location = open(env, path, &ann).header("location").to_owned();
        let csrf = hidden(&open(env, &location, &ann), "csrf");
        let accepted = submit(env, &location, &ann, &format!("csrf={csrf}"));
        assert_eq!((accepted.status, accepted.header("location")), (303, "/app"));
        assert_eq!(open(env, path, "").status, 404);
    });
}

#[test]
fn addresses_of_the_application_disclose_nothing() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Hidden plans").await;
        let space = env.of_space("getSpaceById", &space).await.expect(200);
        let address = space.text_at("/urls/app").to_owned();
        let path = address.strip_prefix(env.server().address()).unwrap();
        let nowhere = "/app/o/00000000000000000000/s/00000000000000000000";
        // Without a session, each address leads to the sign-in page and back.
        for path in [path, nowhere] {
            let page = open(env, path, "");
            let next = path.replace('/', "%2F");
            assert_eq!(page.status, 303);
            assert_eq!(page.header("location"), format!("/app/sign-in?next={next}"));
        }
        let hostile = open(env, &format!("{path}/%22%3E%3Cb%3E"), "");
        assert!(hostile.header("location").ends_with("%2F%2522%253E%253Cb%253E"));

        let (token, _) = env.token(&serde_json::json!({ "name": "whole" })).await;
        let admin = cookie_of(&submit(env, "/app/sign-in", "", &format!("token={token}")));
        let page = open(env, path, &admin);
        assert_eq!(page.status, 200);
        assert!(page.header("content-type").starts_with("text/html"));
        let policy = page.header("content-security-policy").to_owned();
        assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{policy}");
        assert!(!page.text().contains("Hidden plans"));
        assert_eq!(page.text(), open(env, nowhere, &admin).text());
        assert_eq!(page.text(), open(env, "/app", &admin).text());
    });
}

#[test]
fn files_of_the_application_are_served_for_good() {
    each_engine(async |env: &mut TestEnv| {
        let (token, _) = env.token(&serde_json::json!({ "name": "whole" })).await;
        let admin = cookie_of(&submit(env, "/app/sign-in", "", &format!("token={token}")));
        let page = open(env, "/app", &admin);
        let text = page.text();
        let script = text.split("src=\"").find_map(|part| part.split_once(".js\"")).unwrap().0;
        let script = open(env, &format!("{script}.js"), "");
        assert_eq!(script.status, 200);
        assert_eq!(script.header("content-type"), "text/javascript; charset=utf-8");
        assert!(script.header("cache-control").contains("immutable"));
        assert_eq!(open(env, "/app/assets/absent.js", "").status, 404);
        assert_eq!(open(env, "/app/assets/../../etc/passwd", "").status, 404);
    });
}

#[test]
fn requests_of_foreign_forms_are_rejected() {
    each_engine(async |env: &mut TestEnv| {
        for path in ["/app/nothing", "/app/sign-in/a/b", "/app/invitations/x"] {
            assert_eq!(open(env, path, "").status, 404, "{path}");
        }
        for (headers, status) in [
            ("Content-Type: application/json\r\n", 415),
            ("Content-Type: application/x-www-form-urlencoded\r\nOrigin: null\r\n", 403),
            ("Content-Type: application/x-www-form-urlencoded\r\nOrigin: http://evil\r\n", 403),
        ] {
            let answer = raw(env.server(), "POST", "/app/sign-in", headers, b"email=a");
            assert_eq!(answer.status, status, "{headers}");
            assert_eq!(answer.header("set-cookie"), "");
        }
        let long = "a".repeat(70_000);
        assert_eq!(submit(env, "/app/sign-in", "", &long).status, 413);
        assert_eq!(submit(env, "/app/sign-in", "", "email=%ff").status, 400);
        assert_eq!(raw(env.server(), "PUT", "/app", "", b"").status, 405);
        assert_eq!(raw(env.server(), "HEAD", "/app/sign-in", "", b"").text(), "");
    });
}
