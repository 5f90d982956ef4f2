//! Repositories as their hosting service describes them.

/// A repository.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct HostedRepository {
    /// Its name with that of its owner, such as `team/docs`.
    pub(super) name: String,
    /// The address at which people see it.
    pub(super) url: String,
    /// The address from which it is fetched.
    pub(super) clone_url: String,
    /// The name of the default branch; `None` if the repository is empty.
    pub(super) default_branch: Option<String>,
}

/// The result of a request for a repository.
#[derive(Clone, Debug)]
pub(super) enum Lookup {
    /// The repository.
    Found(HostedRepository),
    /// The service does not accept the credentials.
    Unauthenticated,
}
