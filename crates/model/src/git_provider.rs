//! The Git hosting services that an import can name.

crate::closed_set! {
    /// A Git hosting service.
    GitProvider {
        /// GitHub, or a server with its interface.
        Github = "github",
        /// GitLab, or a server with its interface.
        Gitlab = "gitlab",
    }
}
