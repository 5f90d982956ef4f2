//! The access policy as one pure function, which every operation and every page asks.
//!
//! The facts about caller and target are gathered by `authorize`; the decision reads nothing else.

mod access_facts;
mod authorize;
mod caller;
mod people;
mod reader;
mod sources;
mod team;
#[cfg(test)]
mod tests;

pub use access_facts::AccessFacts;
pub use authorize::{
    Anyone, Authorized, Loaded, SignedIn, Target, authorize_target, collection_access, level_of,
    membership, membership_of, organization_role, role_in_organization, role_of_member, sites_role,
    space_access,
};
pub use caller::{Caller, Credential, Lineage, Person, Scope, Scopes};
pub use people::{
    LeavingMember, MemberTarget, UserTarget, require_founder, require_member, sees_members,
};
pub use reader::{Audience, Reader};
pub use sources::{Source, SourceKind, Sources};
pub use team::{ManagedTeams, managed_teams, role_in_team};

use bindery_model::{Level, Role};

/// An action that a caller wants to perform. Each handler states one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Action {
    /// Calls an operation that is open to everybody.
    Call,
    /// Reads or changes what belongs to the caller alone.
    ActAsSelf,
    /// Makes and revokes what gives access to everything the caller has.
    ManageSelf,
    /// Sees an organization.
    ViewOrganization,
    /// Makes a space or a collection in an organization.
    CreateContent,
    /// Changes the settings of an organization.
    ManageOrganization,
    /// Makes an organization, or becomes a member of one.
    JoinOrganization,
    /// Makes users and gives them a role in an organization.
    ManageMembers,
    /// Removes a member from an organization; everybody may leave.
    RemoveMember,
    /// Sees a person.
    ViewUser,
    /// Changes the profile of a person.
    ManageUser,
    /// Sees a collection.
    ReadCollection,
    /// Makes spaces and collections in a collection.
    CreateInCollection,
    /// Changes the settings of a collection.
    ManageCollection,
    /// Deletes a collection with everything in it.
    DeleteCollection,
    /// Puts a space or a collection elsewhere in its organization.
    MoveContent,
    /// Gives a space or a collection to another organization.
    TransferContent,
    /// Sees who may what in a space or a collection.
    ViewPermissions,
    /// Says who may what in a space or a collection.
    ManagePermissions,
    /// Sees who changed what in an organization.
    ViewAudit,
    /// Sees a team and who is in it.
    ViewTeam,
    /// Makes a team in an organization.
    CreateTeam,
    /// Changes a team and who is in it, and removes it.
    ManageTeam,
    /// Sees a space and its content.
    ReadSpace,
    /// Brings content into a space from Git or an archive.
    ImportContent,
    /// Makes, writes and updates change requests.
    EditChangeRequest,
    /// Brings a change request into the main content.
    MergeChangeRequest,
    /// Approves a change request, or asks for changes.
    ReviewChangeRequest,
    /// Comments and reacts.
    Comment,
    /// Deletes what others said in discussions.
    ModerateComments,
    /// Changes the main content itself.
    EditContent,
    /// Makes a copy of a space.
    DuplicateSpace,
    /// Changes the settings of a space.
    ManageSpace,
    /// Deletes a space and brings it back.
    DeleteSpace,
    /// Puts a space on a site.
    PublishSpace,
    /// Sees the jobs of an organization or a space.
    ViewJobs,
    /// Stops a job.
    CancelJob,
    /// Sees a site.
    ReadSite,
    /// Makes a site in an organization.
    CreateSite,
    /// Changes what a site shows and publishes it.
    ManageSite,
}

impl Action {
    /// All actions.
    pub const ALL: [Self; 40] = [
        Self::Call,
        Self::ActAsSelf,
        Self::ManageSelf,
        Self::ViewOrganization,
        Self::CreateContent,
        Self::ManageOrganization,
        Self::JoinOrganization,
        Self::ManageMembers,
        Self::RemoveMember,
        Self::ViewUser,
        Self::ManageUser,
        Self::CreateTeam,
        Self::ViewTeam,
        Self::ManageTeam,
        Self::ViewAudit,
        Self::ReadCollection,
        Self::CreateInCollection,
        Self::ManageCollection,
        Self::DeleteCollection,
        Self::MoveContent,
        Self::TransferContent,
        Self::ViewPermissions,
        Self::ManagePermissions,
        Self::ReadSpace,
        Self::ImportContent,
        Self::EditChangeRequest,
        Self::MergeChangeRequest,
        Self::ReviewChangeRequest,
        Self::Comment,
        Self::ModerateComments,
        Self::EditContent,
        Self::DuplicateSpace,
        Self::ManageSpace,
        Self::DeleteSpace,
        Self::PublishSpace,
        Self::ViewJobs,
        Self::CancelJob,
        Self::ReadSite,
        Self::CreateSite,
        Self::ManageSite,
    ];

    /// The level that this action needs on its target.
    pub const fn needs(self) -> Role {
        match self {
            Self::Call
            | Self::ActAsSelf
            | Self::ManageSelf
            | Self::ViewOrganization
            | Self::JoinOrganization
            | Self::ViewUser
            | Self::ReadCollection
            | Self::ViewTeam
            | Self::ReadSpace
            | Self::ReadSite => Role::Read,
            Self::Comment => Role::Comment,
            Self::ViewJobs
            | Self::ViewPermissions
            | Self::EditChangeRequest
            | Self::EditContent => Role::Edit,
            Self::MergeChangeRequest | Self::ReviewChangeRequest | Self::ModerateComments => {
                Role::Review
            }
            Self::CancelJob => Role::Create,
            Self::CreateContent
            | Self::CreateInCollection
            | Self::MoveContent
            | Self::ImportContent
            | Self::PublishSpace
            | Self::DuplicateSpace
            | Self::CreateSite
            | Self::ManageSite => Role::Create,
            Self::ManageOrganization
            | Self::ManageMembers
            | Self::ViewAudit
            | Self::RemoveMember
            | Self::ManageUser
            | Self::CreateTeam
            | Self::ManageTeam
            | Self::ManageSpace
            | Self::DeleteSpace
            | Self::ManageCollection
            | Self::DeleteCollection
            | Self::TransferContent
            | Self::ManagePermissions => Role::Admin,
        }
    }

    /// Returns `true` if the action changes anything, so that a read-only token cannot perform it.
    pub const fn changes(self) -> bool {
        matches!(
            self,
            Self::CreateContent
                | Self::CreateInCollection
                | Self::ManageCollection
                | Self::DeleteCollection
                | Self::MoveContent
                | Self::TransferContent
                | Self::ManagePermissions
                | Self::CancelJob
                | Self::ImportContent
                | Self::EditChangeRequest
                | Self::MergeChangeRequest
                | Self::ReviewChangeRequest
                | Self::Comment
                | Self::ModerateComments
                | Self::EditContent
                | Self::DuplicateSpace
                | Self::ManageSpace
                | Self::DeleteSpace
                | Self::PublishSpace
                | Self::CreateSite
                | Self::ManageSite
                | Self::ManageOrganization
                | Self::JoinOrganization
                | Self::ManageMembers
                | Self::RemoveMember
                | Self::ManageUser
                | Self::CreateTeam
                | Self::ManageTeam
                | Self::ManageSelf
        )
    }

    /// The words for "you may not …".
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Call => "call this operation",
            Self::ActAsSelf => "act as yourself",
            Self::ManageSelf => "manage your tokens",
            Self::CancelJob => "cancel this job",
            Self::ViewOrganization => "see this organization",
            Self::CreateContent => "create content in this organization",
            Self::ManageOrganization => "manage this organization",
            Self::JoinOrganization => "create or join organizations",
            Self::ManageMembers => "manage the members of this organization",
            Self::RemoveMember => "remove this member",
            Self::ViewUser => "see this person",
            Self::ManageUser => "change the profile of this person",
            Self::ReadCollection => "see this collection",
            Self::CreateInCollection => "create content in this collection",
            Self::ManageCollection => "manage this collection",
            Self::DeleteCollection => "delete this collection",
            Self::MoveContent => "move this content",
            Self::TransferContent => "transfer this content to another organization",
            Self::ViewPermissions => "see who has access here",
            Self::ManagePermissions => "manage who has access here",
            Self::ViewAudit => "read the audit events of this organization",
            Self::ViewTeam => "see this team",
            Self::CreateTeam => "create teams in this organization",
            Self::ManageTeam => "manage this team",
            Self::ReadSpace => "read this space",
            Self::ImportContent => "import content into this space",
            Self::EditChangeRequest => "edit change requests of this space",
            Self::MergeChangeRequest => "merge change requests of this space",
            Self::ReviewChangeRequest => "review change requests of this space",
            Self::Comment => "comment in this space",
            Self::ModerateComments => "delete comments of others in this space",
            Self::EditContent => "edit the content of this space",
            Self::DuplicateSpace => "duplicate this space",
            Self::ManageSpace => "manage this space",
            Self::DeleteSpace => "delete and restore this space",
            Self::PublishSpace => "publish this space",
            Self::ViewJobs => "see these jobs",
            Self::ReadSite => "read this site",
            Self::CreateSite => "create sites in this organization",
            Self::ManageSite => "manage this site",
        }
    }
}

/// The membership of a person in an organization.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Membership {
    /// Not a member, or a disabled one.
    #[default]
    Stranger,
    /// A member who has only what is granted explicitly.
    Guest,
    /// A member with a role.
    Member(Role),
}

/// Everything a decision about an organization or a thing in it depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// The caller's membership in the organization.
    pub membership: Membership,
    /// The organization's role for members who have no other.
    pub default_role: Option<Role>,
    /// The nearest default, from the thing upwards, that is not to inherit.
    pub level: Level,
    /// The highest of what was granted to the caller, or to a team of theirs, on the thing itself
    /// and on what it is in.
    pub granted: Option<Role>,
    /// Deleted, and waiting to be removed: only administrators see it.
    pub deleted: bool,
}

impl Facts {
    /// The caller's level on the target; `None`: the target does not exist for the caller.
    ///
    /// The nearest default that is not `inherit` (for members who are no guests) and the explicit
    /// grants are compared, and the highest wins; an administrator of the organization may
    /// everything in it. Where all defaults say `inherit`, the member's own role in the
    /// organization and the organization's default role count.
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
    /// Go on.
    Allowed,
    /// The target does not exist for the caller.
    Unseen,
    /// The caller sees the target but lacks this level on it.
    Lacks(Role),
    /// The token was not given this scope.
    OutOfScope(Scope),
}

/// The scope that a token needs for an action.
pub const fn scope_of(action: Action) -> Scope {
    match action {
        Action::ManageOrganization
        | Action::JoinOrganization
        | Action::ManageMembers
        | Action::RemoveMember
        | Action::CreateTeam
        | Action::ManageTeam
        | Action::ManageSelf
        | Action::ManageSpace
        | Action::ManageCollection
        | Action::DeleteCollection
        | Action::TransferContent
        | Action::ManagePermissions => Scope::Admin,
        action if action.changes() => Scope::Write,
        _ => Scope::Read,
    }
}

/// Decides. `role` is the caller's level on the target.
pub fn decide(role: Option<Role>, scopes: Scopes, action: Action) -> Decision {
    let Some(role) = role else {
        return Decision::Unseen;
    };
    let scope = scope_of(action);
    if !scopes.allows(scope) {
        // A token that may not even read must not learn what exists.
        return if scopes.allows(Scope::Read) {
            Decision::OutOfScope(scope)
        } else {
            Decision::Unseen
        };
    }
    if role >= action.needs() { Decision::Allowed } else { Decision::Lacks(action.needs()) }
}
