//! `checkExpression`, `listChangeRequestProblems`: mistakes in expressions and in pages.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::expressions::{self, SyntaxError};
use bindery_app::content::problems::{self, PageProblem, Problems};
use bindery_app::content::spaces::Space;
use bindery_app::review::change_requests::ChangeRequestTarget;
use bindery_model::Result;
use bindery_wire::request::ExpressionToCheck;
use bindery_wire::response::{
    ChangeRequestProblems, ContentProblem, ContentProblemPage, ExpressionCheck,
    ExpressionCheckError,
};

use crate::call::Call;
use crate::closed_sets::content_problem_kind;
use crate::operation::{Operation, read_long, read_with_body};
use crate::reply::Reply;

/// Maximum length of a source in a response, in characters.
const MAX_SOURCE: usize = 200;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_with_body("checkExpression", Action::ReadSpace, check_expression),
        read_long("listChangeRequestProblems", Action::ReadSpace, list),
    ]
}

fn check_expression(_: &Context<'_>, _: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let ExpressionToCheck { expression } = call.body()?;
    let error = expressions::check_known(&expression).err().map(|error| {
        let SyntaxError { position, found, expected } = error;
        ExpressionCheckError {
            message: format!("found {found}, expected {expected}"),
            line: u64::try_from(position.line).unwrap_or(u64::MAX),
            column: u64::try_from(position.column).unwrap_or(u64::MAX),
        }
    });
    Reply::json(200, &ExpressionCheck { valid: error.is_none(), error })
}

fn list(cx: &Context<'_>, target: &Authorized<ChangeRequestTarget>, _: &Call) -> Result<Reply> {
    let Problems { items, complete } = problems::of_change_request(cx, target)?;
    let items = items.into_iter().map(|problem| {
        let PageProblem { page, path, kind, message, node, source } = problem;
        let page = ContentProblemPage { id: page.id.to_string(), title: page.title, path };
        let source = source.chars().take(MAX_SOURCE).collect();
        ContentProblem { kind: content_problem_kind(kind), message, page, node, source }
    });
    let reply = Reply::json(200, &ChangeRequestProblems { items: items.collect(), complete })?;
    Ok(reply.with_revision_etag(target.change_request.head))
}
