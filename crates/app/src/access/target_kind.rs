//! The table of kinds of targets.

/// Defines the enum `TargetKind` and its columns from one table. A kind without one of the columns
/// does not match the macro.
macro_rules! target_kinds {
    ($(
        $(#[$doc:meta])+
        $kind:ident { noun: $noun:literal, anonymous: $anonymous:literal }
    )+) => {
        /// The kind of a target.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum TargetKind {
            $($(#[$doc])+ $kind,)+
        }

        impl TargetKind {
            /// Returns the noun of the kind, such as in the message "… not found".
            pub const fn noun(self) -> &'static str {
                match self {
                    $(Self::$kind => $noun,)+
                }
            }

            /// Returns `true` if callers without credentials can act on targets of this kind.
            pub const fn admits_anonymous(self) -> bool {
                match self {
                    $(Self::$kind => $anonymous,)+
                }
            }
        }
    };
}

target_kinds! {
    /// The operation itself, without an object.
    Operation { noun: "operation", anonymous: true }
    /// The caller.
    Caller { noun: "user", anonymous: false }
    /// A user.
    User { noun: "user", anonymous: false }
    /// An organization.
    Organization { noun: "organization", anonymous: false }
    /// A member of an organization.
    Member { noun: "member", anonymous: false }
    /// An invite link of an organization.
    InviteLink { noun: "invite", anonymous: false }
    /// A team.
    Team { noun: "team", anonymous: false }
    /// A collection.
    Collection { noun: "collection", anonymous: false }
    /// A space.
    Space { noun: "space", anonymous: false }
    /// A change request.
    ChangeRequest { noun: "change request", anonymous: false }
    /// A site.
    Site { noun: "site", anonymous: false }
    /// A share link of a site.
    ShareLink { noun: "share link", anonymous: false }
    /// An installation of a Git hosting service.
    GitInstallation { noun: "Git installation", anonymous: false }
    /// A job.
    Job { noun: "job", anonymous: false }
}
