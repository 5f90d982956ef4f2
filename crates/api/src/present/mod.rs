//! Converts stored values to the contract's responses. Every field is named, so that a new one
//! breaks the build and not the API.

mod addresses;
mod agent_instructions;
mod audit_event;
mod change_request;
mod changes;
mod collection;
mod comment;
mod conflict;
mod content;
mod custom_font;
mod difference;
mod git_sync;
mod invitation;
mod invite_link;
mod job;
mod links;
mod member;
mod merge_rules;
mod organization;
mod page_feedback;
mod page_list;
mod permission;
mod published_content;
mod review;
mod search;
mod session;
mod site;
mod site_adaptive;
mod site_audience;
mod site_external_link;
mod site_redirect;
mod site_structure;
mod space;
mod team;
mod token;
mod user;

pub(crate) use addresses::FromPage;
pub(crate) use agent_instructions::agent_instructions;
pub(crate) use audit_event::{audit_actions, audit_event, audit_event_details};
pub(crate) use change_request::change_request;
pub(crate) use changes::semantic_changes;
pub(crate) use collection::collection;
pub(crate) use comment::{BodyFormat, comment, comment_reply};
pub(crate) use conflict::conflict;
pub(crate) use content::{
    ContentView, PresentedRevision, by_path, file, meta_links, page, reusable_content, revision,
    single_page,
};
pub(crate) use custom_font::custom_font;
pub(crate) use difference::{Comparison, Heading as DifferenceHeading, content_difference};
pub(crate) use git_sync::{git_sync, git_sync_run};
pub(crate) use invitation::invitation;
pub(crate) use invite_link::invite_link;
pub(crate) use job::job;
pub(crate) use links::{Locations, space_of};
pub(crate) use member::member;
pub(crate) use organization::organization;
pub(crate) use page_feedback::page_feedback;
pub(crate) use page_list::PageList;
pub(crate) use permission::{ExplanationSubject, explanation, user_permission};
pub(crate) use published_content::published_content;
pub(crate) use review::{contributor, requested_reviewer, review};
pub(crate) use search::{found_page, found_spaces};
pub(crate) use session::{current_session, session};
pub(crate) use site::site;
pub(crate) use site_adaptive::{adaptive_schema, template_condition};
pub(crate) use site_audience::{publishing_auth, share_link};
pub(crate) use site_external_link::site_external_link;
pub(crate) use site_redirect::site_redirect;
pub(crate) use site_structure::StructureView;
pub(crate) use space::{git_state, listed_spaces, one_space, space, space_for_visitor, spaces};
pub(crate) use team::{team, team_member};
pub(crate) use token::{created_token, token};
pub(crate) use user::user;
