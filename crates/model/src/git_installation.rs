//! The states of the installations of Git hosting services.

crate::closed_set! {
    /// The state of an installation of a Git hosting service.
    GitInstallationStatus {
        /// The hosting service has no valid credentials of the installation.
        Unauthenticated = "unauthenticated",
        /// The repository is synchronised.
        Active = "active",
        /// The installation has no repository that it can read.
        Pending = "pending",
    }
}
