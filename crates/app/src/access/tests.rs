//! Tests of the policy as tables of facts and outcomes.

use bindery_model::{Level, Role, SiteVisibility};

use super::{Action, Decision, Facts, Membership, Reader, Scope, Scopes, decide};

fn member(role: Role) -> Facts {
    Facts { membership: Membership::Member(role), ..Facts::default() }
}

#[test]
fn the_level_on_a_space() {
    let guest = Facts { membership: Membership::Guest, ..Facts::default() };
    let reader = member(Role::Read);
    let private = |facts| Facts { level: Level::None, ..facts };
    let level = |facts, role| Facts { level: Level::Role(role), ..facts };
    let granted = |facts, role| Facts { granted: Some(role), ..facts };
    for (facts, expect) in [
        (Facts::default(), None),
        (granted(Facts::default(), Role::Admin), None),
        (guest, None),
        (level(guest, Role::Edit), None),
        (granted(guest, Role::Comment), Some(Role::Comment)),
        (reader, Some(Role::Read)),
        (Facts { default_role: Some(Role::Edit), ..reader }, Some(Role::Edit)),
        (Facts { default_role: None, ..member(Role::Create) }, Some(Role::Create)),
        (private(member(Role::Create)), None),
        (granted(private(reader), Role::Review), Some(Role::Review)),
        (level(member(Role::Create), Role::Read), Some(Role::Read)),
        (granted(level(reader, Role::Edit), Role::Read), Some(Role::Edit)),
        (private(member(Role::Admin)), Some(Role::Admin)),
        (Facts { deleted: true, ..member(Role::Create) }, None),
        (Facts { deleted: true, ..member(Role::Admin) }, Some(Role::Admin)),
    ] {
        assert_eq!(facts.role(), expect, "{facts:?}");
    }
}

#[test]
fn decisions() {
    let read = Scopes::of(&[Scope::Read]);
    let none = Scopes::of(&[]);
    for (role, scopes, action, expect) in [
        (None, Scopes::ALL, Action::ReadSpace, Decision::Unseen),
        (Some(Role::Read), Scopes::ALL, Action::ReadSpace, Decision::Allowed),
        (Some(Role::Read), Scopes::ALL, Action::ImportContent, Decision::Lacks(Role::Create)),
        (Some(Role::Admin), read, Action::ImportContent, Decision::OutOfScope(Scope::Write)),
        (Some(Role::Admin), read, Action::ManageMembers, Decision::OutOfScope(Scope::Admin)),
        (Some(Role::Admin), none, Action::ReadSpace, Decision::Unseen),
        (None, read, Action::ImportContent, Decision::Unseen),
    ] {
        assert_eq!(decide(role, scopes, action), expect, "{role:?} {action:?}");
    }
}

#[test]
fn readers_see_what_is_published_for_them() {
    for (visibility, readers) in [
        (SiteVisibility::Public, [true, true, true, true]),
        (SiteVisibility::Unlisted, [true, true, true, true]),
        (SiteVisibility::ShareLink, [false, true, false, true]),
        (SiteVisibility::VisitorAuth, [false, false, true, true]),
    ] {
        for (reader, sees) in Reader::ALL.into_iter().zip(readers) {
            assert_eq!(reader.sees(visibility, true), sees, "{reader:?} {visibility:?}");
            let is_preview = reader == Reader::Preview;
            assert_eq!(reader.sees(visibility, false), is_preview, "{reader:?} {visibility:?}");
            assert!(reader.role(visibility, true).is_none_or(|role| role == Role::Read));
        }
    }
}

#[test]
fn scopes_include_those_before_them() {
    assert_eq!(Scopes::of(&[Scope::Write]).list(), [Scope::Read, Scope::Write]);
    assert_eq!(Scopes::from_bits(Scopes::of(&[Scope::Admin]).bits()), Scopes::ALL);
}
