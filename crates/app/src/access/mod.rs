//! The access policy: one pure function, [`decide`], that every operation and every page calls.
//!
//! `action` contains the table of requirements of each action. `authorize` loads the target and the
//! caller's role on it. The decision depends on this role, the scopes of the caller's token and the
//! action alone.

mod access_facts;
mod action;
mod authorize;
mod caller;
pub mod credentials;
mod people;
pub mod permissions;
mod reader;
mod sources;
mod target_kind;
mod team;
#[cfg(test)]
mod tests;

pub use access_facts::AccessFacts;
pub use action::{Action, Requirements};
pub use authorize::{
    Anyone, Authorized, Loaded, SignedIn, Target, VisibleSites, authorize_target,
    collection_access, level_of, load_target, membership, membership_of, organization_role,
    require_scope, role_in_organization, role_of_member, role_on_site, site_access, space_access,
    visible_sites,
};
pub use caller::{Caller, Credential, Lineage, Person, Scopes};
pub use people::{
    LeavingMember, MemberTarget, UserTarget, require_founder, require_member, sees_members,
};
pub use reader::Reader;
pub use sources::{Source, SourceKind, Sources};
pub use target_kind::TargetKind;
pub use team::{ManagedTeams, managed_teams, role_in_team};

pub use bindery_model::Scope;
use bindery_model::{Level, Role};

/// The membership of a person in an organization.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Membership {
    /// No membership, or a disabled one.
    #[default]
    Stranger,
    /// A member without a role, who has explicit grants only.
    Guest,
    /// A member with a role.
    Member(Role),
}

/// The facts that determine a person's role on an object of an organization.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// The caller's membership in the organization.
    pub membership: Membership,
    /// The organization's default role for members with a role.
    pub default_role: Option<Role>,
    /// The nearest default level that is not `inherit`, from the object itself upwards.
    pub level: Level,
    /// The highest grant to the caller or to one of their teams, on the object itself or on a
    /// collection around it.
    pub granted: Option<Role>,
    /// `true` if the object is deleted and waits for its removal. Only administrators see it.
    pub deleted: bool,
}

impl Facts {
    /// Returns the caller's role on the object; `None` if the object does not exist for the
    /// caller.
    ///
    /// Administrators of the organization have the role `admin`, guests their highest grant. Other
    /// members have the higher one of their highest grant and the nearest default level. If all
    /// levels are `inherit`, the member's role in the organization or its default role takes the
    /// place of the level, whichever is higher.
    pub fn role(&self) -> Option<Role> {
        let role = match self.membership {
            Membership::Stranger => None,
            Membership::Member(Role::Admin) => Some(Role::Admin),
            Membership::Guest => self.granted,
            Membership::Member(role) => {
                let default = match self.level {
                    Level::Inherit => Some(role).max(self.default_role),
                    Level::None => None,
                    Level::Role(role) => Some(role),
                };
                default.max(self.granted)
            }
        };
        role.filter(|role| !self.deleted || *role == Role::Admin)
    }
}

/// The outcome of a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// The caller may perform the action.
    Allowed,
    /// The target does not exist for the caller.
    Unseen,
    /// The caller sees the target but lacks this role on it.
    Lacks(Role),
    /// The caller's token lacks this scope.
    OutOfScope(Scope),
}

/// Decides if a caller may perform an action. `role` is the caller's role on the target; `None` if
/// the target does not exist for the caller.
pub fn decide(role: Option<Role>, scopes: Scopes, action: Action) -> Decision {
    let Some(role) = role else {
        return Decision::Unseen;
    };
    let needed = action.requirements();
    if !scopes.allows(needed.scope) {
        // A token without the scope `read` must not learn which objects exist.
        return if scopes.allows(Scope::Read) {
            Decision::OutOfScope(needed.scope)
        } else {
            Decision::Unseen
        };
    }
    if role >= needed.role { Decision::Allowed } else { Decision::Lacks(needed.role) }
}
