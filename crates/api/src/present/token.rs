//! A personal token. Its text is included only in the response that creates it.

use bindery_app::access::Scopes;
use bindery_app::people::tokens::Token;
use bindery_wire::response;
use bindery_wire::values::TokenScope;

use crate::closed_sets::token_scope;

fn list(ids: &str) -> Option<Vec<String>> {
    let ids: Vec<String> = ids.split_ascii_whitespace().map(str::to_owned).collect();
    (!ids.is_empty()).then_some(ids)
}

fn scopes(bits: i64) -> Vec<TokenScope> {
    Scopes::from_bits(bits).list().into_iter().map(token_scope).collect()
}

pub(crate) fn token(token: Token) -> response::PersonalToken {
    let Token {
        id,
        user: _,
        name,
        prefix,
        hash: _,
        scopes: bits,
        organizations,
        spaces,
        created_at,
        expires_at,
        last_used_at,
        parent,
    } = token;
    response::PersonalToken {
        id: id.to_string(),
        name,
        prefix,
        scopes: scopes(bits),
        organizations: list(&organizations),
        spaces: list(&spaces),
        created_at,
        expires_at,
        last_used_at,
        parent: parent.map(|parent| parent.to_string()),
    }
}

pub(crate) fn created_token(row: Token, text: String) -> response::CreatedPersonalToken {
    let response::PersonalToken {
        id,
        name,
        prefix,
        scopes,
        organizations,
        spaces,
        created_at,
        expires_at,
        last_used_at,
        parent,
    } = token(row);
    response::CreatedPersonalToken {
        id,
        name,
        prefix,
        scopes,
        organizations,
        spaces,
        created_at,
        expires_at,
        last_used_at,
        parent,
        token: text,
    }
}
