//! People and what they sign in with: users, organizations, members, teams, invitations, sessions
//! and tokens.

pub mod agent_instructions;
pub mod members;
pub mod organization_invites;
pub mod organizations;
pub mod sessions;
pub mod sign_in;
pub mod team_members;
pub mod teams;
pub mod tokens;
pub mod users;
