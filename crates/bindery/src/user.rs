//! `bindery user create`: creates an account through the API.

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

use crate::client::{Client, Flags, ServerAddress};
use crate::output::{Output, OutputArgs};

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
    /// Role in the organization.
    #[arg(long, default_value = "read", value_name = "ROLE", value_parser = ROLES)]
    role: String,
    /// Also prints a token for the account.
    #[arg(long)]
    print_token: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Values of `--role`; a guest has no role in the organization.
const ROLES: [&str; 7] = ["admin", "create", "review", "edit", "comment", "read", "guest"];

/// The flags for the values of the request, for error messages.
const FLAGS: Flags = &[
    ("body at /email", "--email"),
    ("body at /displayName", "--name"),
    ("body at /organization", "--organization"),
    ("body at /role", "--role"),
];

pub(crate) fn run(args: CreateArgs) -> Result<()> {
    let client = Client::new(&args.address, FLAGS);
    let organization = match args.organization {
        Some(organization) => organization,
        None => client.only_organization()?,
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
    let (id, email) = (text("/user/id"), text("/user/email"));
    let mut output = Output::new(args.output);
    output.line(format!("user: {id} {email}"));
    output.member("user", json!({ "id": id, "email": email }));
    if args.print_token {
        let token = text("/token");
        output.line(format!("token: {token}")).member("token", token);
    } else {
        let url = text("/signInURL");
        output.line(format!("sign in at: {url}")).member("signInURL", url);
    }
    output.print();
    Ok(())
}
