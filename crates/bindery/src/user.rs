//! `bindery user create`: creates an account through the API.

use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::{Value, json};

use crate::client::{Client, ServerAddress};

/// Arguments of `bindery user create`.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    #[command(flatten)]
    address: ServerAddress,
    /// Mail address of the account.
    #[arg(long, value_name = "MAIL")]
    email: String,
    /// Display name [default: the part of the address before the at sign]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Organization to join [default: the only organization of the token]
    #[arg(long, value_name = "ID")]
    organization: Option<String>,
    /// Role in the organization: admin, create, review, edit, comment, read or guest.
    #[arg(long, default_value = "read", value_name = "ROLE")]
    role: String,
    /// Also prints a token for the account.
    #[arg(long)]
    print_token: bool,
}

pub(crate) fn run(args: CreateArgs) -> Result<()> {
    let client = Client::new(&args.address);
    let organization = match args.organization {
        Some(organization) => organization,
        None => only_organization(&client)?,
    };
    let role = if args.role == "guest" { Value::Null } else { json!(args.role) };
    let name =
        args.name.unwrap_or_else(|| args.email.split('@').next().unwrap_or_default().to_owned());
    let mut body = json!({
        "email": args.email,
        "displayName": name,
        "organization": organization,
        "role": role,
    });
    if args.print_token {
        body["token"] = json!(true);
    }
    let answer = client.post("/bindery/users", &body)?;
    let text = |pointer: &str| answer.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    crate::serve::print_line(&format!("user: {} {}", text("/user/id"), text("/user/email")));
    if args.print_token {
        crate::serve::print_line(&format!("token: {}", text("/token")));
    } else {
        crate::serve::print_line(&format!("sign in at: {}", text("/signInURL")));
    }
    Ok(())
}

fn only_organization(client: &Client) -> Result<String> {
    let answer = client.get("/orgs?limit=2")?;
    let items = answer["items"].as_array().cloned().unwrap_or_default();
    match items.as_slice() {
        [only] => Ok(only["id"].as_str().unwrap_or_default().to_owned()),
        _ => None.context(
            "the token has access to several organizations or none: add --organization ID",
        ),
    }
}
