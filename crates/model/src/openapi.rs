//! The states of OpenAPI specifications.

crate::closed_set! {
    /// The progress of an OpenAPI specification.
    OpenApiState {
        /// Its source waits to be read.
        Pending = "pending",
        /// Its source is being read.
        Progress = "progress",
        /// Its source was read, with or without success.
        Complete = "complete",
    }
}

crate::closed_set! {
    /// The reason why the source of an OpenAPI specification could not be read.
    OpenApiFailure {
        /// A server did not answer in time.
        FetchTimeout = "FETCH_TIMEOUT",
        /// A file could not be fetched.
        FetchError = "FETCH_ERROR",
        /// A file is no OpenAPI description.
        ParseError = "PARSE_ERROR",
    }
}

crate::closed_set! {
    /// The people who can read an OpenAPI specification apart from published pages that show it.
    OpenApiVisibility {
        /// The members of its organization.
        Private = "private",
        /// Everybody who knows its address.
        Public = "public",
    }
}

crate::closed_set! {
    /// The progress of the comparison of a version with the one that was read before it.
    OpenApiComparison {
        /// It is the first version.
        First = "first",
        /// It waits to be compared.
        Pending = "pending",
        /// It was compared.
        Complete = "complete",
        /// It could not be compared.
        Failed = "failed",
    }
}
