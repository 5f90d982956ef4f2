//! The table of actions: what each action applies to, and what it requires.

use bindery_model::Role;

use super::{Scope, TargetKind};

/// The requirements of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Requirements {
    /// Kinds of targets that the action applies to.
    pub targets: &'static [TargetKind],
    /// Lowest role on the target that permits the action.
    pub role: Role,
    /// Scope that a token needs for the action. Actions that change anything need more than
    /// [`Scope::Read`].
    pub scope: Scope,
    /// `true` if the action is permitted on a deleted target that waits for its removal.
    pub on_deleted: bool,
    /// Text that completes "you may not …" in refusals.
    pub description: &'static str,
}

/// Defines the enum `Action`, the list of all actions and their requirements from one table. An
/// action without one of the columns does not match the macro.
macro_rules! actions {
    ($(
        $(#[$doc:meta])+
        $action:ident {
            targets: [$($target:ident),+], role: $role:ident, scope: $scope:ident,
            on_deleted: $on_deleted:literal,
            description: $description:literal,
        }
    )+) => {
        /// An action that a caller wants to perform. Each operation names one.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Action {
            $($(#[$doc])+ $action,)+
        }

        impl Action {
            /// All actions, in the order of the access matrix.
            pub const ALL: [Self; [$(stringify!($action)),+].len()] = [$(Self::$action),+];

            /// Returns the requirements of the action.
            pub const fn requirements(self) -> Requirements {
                match self {
                    $(Self::$action => Requirements {
                        targets: &[$(TargetKind::$target),+],
                        role: Role::$role,
                        scope: Scope::$scope,
                        on_deleted: $on_deleted,
                        description: $description,
                    },)+
                }
            }
        }
    };
}

actions! {
    /// Calls an operation that is open to all callers.
    Call {
        targets: [Operation], role: Read, scope: Read,
        on_deleted: true,
        description: "call this operation",
    }
    /// Reads or changes data that belongs to the caller alone.
    ActAsSelf {
        targets: [Caller], role: Read, scope: Read,
        on_deleted: true,
        description: "act as yourself",
    }
    /// Marks notifications of the caller as read, and changes how the caller is notified.
    ManageNotifications {
        targets: [Caller, Organization], role: Read, scope: Write,
        on_deleted: false,
        description: "manage your notifications",
    }
    /// Creates and revokes credentials of the caller.
    ManageSelf {
        targets: [Caller], role: Read, scope: Admin,
        on_deleted: false,
        description: "manage your tokens",
    }
    /// Reads an organization.
    ViewOrganization {
        targets: [Organization, Member], role: Read, scope: Read,
        on_deleted: true,
        description: "see this organization",
    }
    /// Creates a space or a collection at the top level of an organization.
    CreateContent {
        targets: [Organization], role: Create, scope: Write,
        on_deleted: false,
        description: "create content in this organization",
    }
    /// Changes the settings of an organization.
    ManageOrganization {
        targets: [Organization], role: Admin, scope: Admin,
        on_deleted: false,
        description: "manage this organization",
    }
    /// Creates an organization, or becomes a member of one.
    JoinOrganization {
        targets: [Caller], role: Read, scope: Admin,
        on_deleted: false,
        description: "create or join organizations",
    }
    /// Creates users and assigns roles in an organization.
    ManageMembers {
        targets: [Organization, Member, InviteLink], role: Admin, scope: Admin,
        on_deleted: false,
        description: "manage the members of this organization",
    }
    /// Removes a member from an organization. Members may remove themselves.
    RemoveMember {
        targets: [Member], role: Admin, scope: Admin,
        on_deleted: false,
        description: "remove this member",
    }
    /// Reads the profile of a person.
    ViewUser {
        targets: [User], role: Read, scope: Read,
        on_deleted: true,
        description: "see this person",
    }
    /// Changes the profile of a person.
    ManageUser {
        targets: [User], role: Admin, scope: Write,
        on_deleted: false,
        description: "change the profile of this person",
    }
    /// Creates a team in an organization.
    CreateTeam {
        targets: [Organization], role: Admin, scope: Admin,
        on_deleted: false,
        description: "create teams in this organization",
    }
    /// Reads a team and its members.
    ViewTeam {
        targets: [Team], role: Read, scope: Read,
        on_deleted: true,
        description: "see this team",
    }
    /// Changes a team and its members, or deletes it.
    ManageTeam {
        targets: [Team], role: Admin, scope: Admin,
        on_deleted: false,
        description: "manage this team",
    }
    /// Reads the audit events of an organization.
    ViewAudit {
        targets: [Organization], role: Admin, scope: Read,
        on_deleted: true,
        description: "read the audit events of this organization",
    }
    /// Reads a collection.
    ReadCollection {
        targets: [Collection], role: Read, scope: Read,
        on_deleted: true,
        description: "see this collection",
    }
    /// Creates spaces and collections in a collection.
    CreateInCollection {
        targets: [Collection], role: Create, scope: Write,
        on_deleted: false,
        description: "create content in this collection",
    }
    /// Changes the settings of a collection.
    ManageCollection {
        targets: [Collection], role: Admin, scope: Admin,
        on_deleted: false,
        description: "manage this collection",
    }
    /// Deletes a collection with everything in it.
    DeleteCollection {
        targets: [Collection], role: Admin, scope: Admin,
        on_deleted: false,
        description: "delete this collection",
    }
    /// Moves a space or a collection within its organization.
    MoveContent {
        targets: [Space, Collection], role: Create, scope: Write,
        on_deleted: false,
        description: "move this content",
    }
    /// Transfers a space or a collection to another organization.
    TransferContent {
        targets: [Space, Collection], role: Admin, scope: Admin,
        on_deleted: false,
        description: "transfer this content to another organization",
    }
    /// Reads the permissions on a space, a collection or a site.
    ViewPermissions {
        targets: [Space, Collection, Site], role: Edit, scope: Read,
        on_deleted: true,
        description: "see who has access here",
    }
    /// Changes the permissions on a space, a collection or a site.
    ManagePermissions {
        targets: [Space, Collection, Site], role: Admin, scope: Admin,
        on_deleted: false,
        description: "manage who has access here",
    }
    /// Reads a space and its content.
    ReadSpace {
        targets: [Space, ChangeRequest], role: Read, scope: Read,
        on_deleted: true,
        description: "read this space",
    }
    /// Imports content into a space from Git or an archive.
    ImportContent {
        targets: [Space], role: Create, scope: Write,
        on_deleted: false,
        description: "import content into this space",
    }
    /// Exports a space to a Git repository.
    ExportContent {
        targets: [Space], role: Create, scope: Write,
        on_deleted: false,
        description: "export this space to Git",
    }
    /// Reads the settings, the state and the history of the Git synchronisation of a space or a
    /// site.
    ViewGitSync {
        targets: [Space, Site, GitInstallation], role: Create, scope: Read,
        on_deleted: false,
        description: "see the Git synchronisation of this space",
    }
    /// Runs, pauses and resumes the Git synchronisation of a space.
    RunGitSync {
        targets: [Space], role: Create, scope: Write,
        on_deleted: false,
        description: "run the Git synchronisation of this space",
    }
    /// Sets up, changes and ends the Git synchronisation of a space or a site.
    ManageGitSync {
        targets: [Space, Site, GitInstallation], role: Admin, scope: Admin,
        on_deleted: false,
        description: "manage the Git synchronisation of this space",
    }
    /// Creates and edits change requests, and updates them from the main content.
    EditChangeRequest {
        targets: [Space, ChangeRequest], role: Edit, scope: Write,
        on_deleted: false,
        description: "edit change requests of this space",
    }
    /// Merges a change request into the main content.
    MergeChangeRequest {
        targets: [ChangeRequest], role: Review, scope: Write,
        on_deleted: false,
        description: "merge change requests of this space",
    }
    /// Approves a change request, or requests changes.
    ReviewChangeRequest {
        targets: [ChangeRequest], role: Review, scope: Write,
        on_deleted: false,
        description: "review change requests of this space",
    }
    /// Comments and reacts.
    Comment {
        targets: [Space, ChangeRequest], role: Comment, scope: Write,
        on_deleted: false,
        description: "comment in this space",
    }
    /// Deletes comments of other people.
    ModerateComments {
        targets: [Space, ChangeRequest], role: Review, scope: Write,
        on_deleted: false,
        description: "delete comments of others in this space",
    }
    /// Changes the main content.
    EditContent {
        targets: [Space], role: Edit, scope: Write,
        on_deleted: false,
        description: "edit the content of this space",
    }
    /// Copies a space.
    DuplicateSpace {
        targets: [Space], role: Create, scope: Write,
        on_deleted: false,
        description: "duplicate this space",
    }
    /// Changes the settings of a space.
    ManageSpace {
        targets: [Space], role: Admin, scope: Admin,
        on_deleted: false,
        description: "manage this space",
    }
    /// Deletes a space, or restores a deleted one.
    DeleteSpace {
        targets: [Space], role: Admin, scope: Write,
        on_deleted: true,
        description: "delete and restore this space",
    }
    /// Adds a space to a site.
    PublishSpace {
        targets: [Space], role: Create, scope: Write,
        on_deleted: false,
        description: "publish this space",
    }
    /// Reads the jobs of an organization or a space.
    ViewJobs {
        targets: [Organization, Space, Job], role: Edit, scope: Read,
        on_deleted: true,
        description: "see these jobs",
    }
    /// Cancels a job.
    CancelJob {
        targets: [Job], role: Create, scope: Write,
        on_deleted: false,
        description: "cancel this job",
    }
    /// Reads a site.
    ReadSite {
        targets: [Site], role: Read, scope: Read,
        on_deleted: true,
        description: "read this site",
    }
    /// Reads the ratings and comments of readers on the pages of a site.
    ReadPageFeedback {
        targets: [Site], role: Edit, scope: Read,
        on_deleted: true,
        description: "read the feedback on the pages of this site",
    }
    /// Reads the insights of a site.
    ReadInsights {
        targets: [Site], role: Edit, scope: Read,
        on_deleted: true,
        description: "read the insights of this site",
    }
    /// Creates a site in an organization.
    CreateSite {
        targets: [Organization], role: Create, scope: Write,
        on_deleted: false,
        description: "create sites in this organization",
    }
    /// Uploads fonts for the sites of an organization, changes and deletes them.
    ManageFonts {
        targets: [Organization], role: Create, scope: Write,
        on_deleted: false,
        description: "manage the fonts of this organization",
    }
    /// Adds OpenAPI specifications to an organization, changes and deletes them.
    ManageOpenApi {
        targets: [Organization], role: Create, scope: Write,
        on_deleted: false,
        description: "manage the OpenAPI specifications of this organization",
    }
    /// Changes the spaces and settings of a site, and publishes it.
    ManageSite {
        targets: [Site, ShareLink], role: Create, scope: Write,
        on_deleted: false,
        description: "manage this site",
    }
    /// Reads and changes the key that signs visitors in to a site, and their sign-in address.
    ManageSiteKeys {
        targets: [Site], role: Admin, scope: Admin,
        on_deleted: false,
        description: "manage the visitor authentication of this site",
    }
    /// Stores the result of the review of a site's ads.
    ReviewAds {
        targets: [Site], role: Admin, scope: Write,
        on_deleted: false,
        description: "review the ads of this site",
    }
    /// Deletes a site.
    DeleteSite {
        targets: [Site], role: Admin, scope: Write,
        on_deleted: false,
        description: "delete this site",
    }
}
