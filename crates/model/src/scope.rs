//! The scopes of a token.

crate::closed_set! {
    /// A scope of a token. Each scope includes those before it.
    Scope {
        /// Reading.
        Read = "read",
        /// Changing content and the caller's profile.
        Write = "write",
        /// Managing members, permissions, settings and credentials.
        Admin = "admin",
    }
}
