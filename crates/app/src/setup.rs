//! The first start on an empty store: creates an administrator, an organization, a sample space and
//! a sample site.

use std::sync::Arc;

use bindery_git::Folder;
use bindery_git::import::{self, GitState, ImportContext, ImportOptions, Previous};
use bindery_model::{Error, Result, RevisionId, Role, SiteType, SiteVisibility};
use bindery_revision::{Author, Content, ContentKind, Hash, Objects, Revision};
use bindery_store::git_states::{self, GitState as GitRow, Provider};
use bindery_store::spaces::Space;
use bindery_store::users::User;
use bindery_store::{PreparedObject, Tx, members, organizations};
use bytes::Bytes;

use crate::access::Lineage;
use crate::content::revisions::{self as made, Committed};
use crate::content::snapshot::Snapshot;
use crate::content::spaces::NewSpace;
use crate::people::tokens;
use crate::publishing::sites::NewSite;
use crate::{
    App, content::git, content::spaces, people::sign_in, people::users, publishing::sites,
    publishing::structure,
};

/// Title of the organization that the first start creates.
const ORGANIZATION: &str = "My organization";
const SPACE: &str = "Bindery";
/// Minimum length of a given first token, in characters.
const TOKEN: usize = 20;
/// The initial mail address and name of the first administrator.
const ADMINISTRATOR: (&str, &str) = ("admin@localhost", "Administrator");

/// The values for the first start.
pub struct Setup<F> {
    /// The first administrator's token; `None` for a random one, which is returned.
    pub token: Option<String>,
    /// The files of the sample space; `None` to create no sample.
    pub sample: Option<fn() -> F>,
}

impl<F> std::fmt::Debug for Setup<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup").field("sample", &self.sample.is_some()).finish_non_exhaustive()
    }
}

/// The results of the first start.
#[derive(Clone, Debug)]
pub struct FirstStart {
    /// The generated token of the administrator, with a sign-in link of the same account; `None` if
    /// the token was given.
    pub credentials: Option<FirstCredentials>,
    /// The address of the sample site.
    pub site: Option<String>,
}

/// The credentials of the first administrator, which are shown once.
#[derive(Clone, Debug)]
pub struct FirstCredentials {
    /// The personal token.
    pub token: String,
    /// The address of a sign-in link, which works once.
    pub sign_in_link: String,
}

/// Sets up an empty store. If several nodes start on it, only one of them does so. Returns `None`
/// if the store is not empty.
///
/// # Errors
/// Returns an error if the store fails.
pub async fn first_start<F: Folder + 'static>(
    app: &Arc<App>,
    setup: Setup<F>,
) -> Result<Option<FirstStart>> {
    if app.store.read(organizations::any_exists).await? {
        return Ok(None);
    }
    if let Some(length) = setup.token.as_ref().map(|token| token.chars().count())
        && length < TOKEN
    {
        return Err(Error::invalid(format!(
            "BINDERY_SETUP_TOKEN has {length} characters; it needs {TOKEN} or more"
        )));
    }
    let sample = match setup.sample {
        None => None,
        Some(sample) => {
            let built = Arc::clone(app);
            Some(
                tokio::task::spawn_blocking(move || Sample::build(&built, &sample()))
                    .await
                    .map_err(|error| Error::internal(format!("the sample failed: {error}")))??,
            )
        }
    };
    if let Some(sample) = &sample {
        app.store.put_objects(sample.objects.clone()).await?;
    }
    let text = setup.token.clone().unwrap_or_else(|| tokens::generate(&app.entropy));
    let is_generated = setup.token.is_none();
    let held = Arc::clone(app);
    app.store
        .write(move |tx| {
            if organizations::any_exists(tx)? {
                return Ok(None);
            }
            let (admin, site) = make(&held, tx, &text, sample.as_ref())?;
            let link = || {
                let at = (&*held.entropy, held.clock.now());
                sign_in::hand_over(tx, &held.secrets, at, &admin, Lineage::default())
            };
            let credentials = is_generated
                .then(|| {
                    let sign_in_link = held.urls.app_sign_in(&link()?);
                    Ok::<_, Error>(FirstCredentials { token: text.clone(), sign_in_link })
                })
                .transpose()?;
            Ok(Some(FirstStart { credentials, site }))
        })
        .await
}

/// Creates the administrator, the organization and the sample. Returns the administrator and the
/// address of the sample site.
fn make(
    app: &App,
    tx: &Tx<'_>,
    token: &str,
    sample: Option<&Sample>,
) -> Result<(User, Option<String>)> {
    let now = app.clock.now();
    let (email, name) = ADMINISTRATOR;
    let admin = users::store(tx, app, email, name)?;
    let organization = crate::people::organizations::create(tx, app, ORGANIZATION, now)?;
    members::create(tx, organization.id, admin.id, Some(Role::Admin), now)?;
    tokens::issue_whole(tx, (&app.entropy, now), admin.id, "first administrator", token)?;
    let Some(sample) = sample else {
        return Ok((admin, None));
    };
    let new =
        NewSpace { title: SPACE.to_owned(), emoji: "1f4d8".to_owned(), ..NewSpace::default() };
    let space = spaces::store(tx, app, organization.id, &new, Some(admin.id))?;
    sample.commit(app, tx, &space)?;
    let new = NewSite {
        site_type: SiteType::Basic,
        title: Some(SPACE.to_owned()),
        visibility: SiteVisibility::Public,
        spaces: Vec::new(),
    };
    let site = sites::store(tx, app, organization.id, SPACE, &new)?;
    structure::store_site_space(tx, app, &site, &space, None)?;
    bindery_store::sites::set_published(tx, site.id, true)?;
    Ok((admin, Some(app.urls.site(&site))))
}

/// The content of the sample, which is built before the transaction that stores it.
#[derive(Debug)]
struct Sample {
    content: Content,
    state: GitState,
    objects: Vec<PreparedObject>,
}

impl Sample {
    fn build(app: &App, folder: &dyn Folder) -> Result<Self> {
        let content = Content::new(&app.entropy);
        let mut objects = Vec::new();
        let base = app.store.objects();
        let mut sink = |batch: Vec<(Hash, Bytes)>| {
            let prepared =
                batch.into_iter().map(|(hash, bytes)| PreparedObject::with_hash(hash, bytes));
            objects.extend(prepared);
            Ok(())
        };
        let imported = import::import(
            folder,
            &ImportOptions::default(),
            Some(Previous {
                content: &content,
                state: None,
                commit: None,
                present: None,
                proposed: &[],
            }),
            &base as &dyn Objects,
            &mut sink,
            &ImportContext {
                now: app.clock.now(),
                entropy: &app.entropy,
                progress: &|_| {},
                cancel: &bindery_outbound::CancellationToken::new(),
                large_files: None,
            },
        )
        .map_err(|error| Error::internal(format!("the sample cannot be imported: {error}")))?;
        Ok(Self { content: imported.content, state: imported.state, objects })
    }

    fn commit(&self, app: &App, tx: &Tx<'_>, space: &Space) -> Result<()> {
        let now = app.clock.now();
        let base = Snapshot::of(app, tx, space, None)?;
        let revision = Revision {
            parents: vec![base.row.id],
            kind: ContentKind::Edits,
            author: Author::System,
            created_at: now,
            message: None,
            content: self.content.clone(),
        };
        let id = RevisionId::random(&app.entropy);
        if made::commit(tx, space, id, base.row.id, &revision)? == Committed::Moved {
            return Err(Error::internal("the sample space changed while it was made"));
        }
        let row = GitRow {
            url: String::new(),
            reference: String::new(),
            directory: String::new(),
            oid: String::new(),
            state: git::encode(&self.state)?,
            tree_url: None,
            updated_at: now,
            event_at: None,
            provider: Provider::default(),
        };
        git_states::set(tx, space.id, &row)?;
        Ok(())
    }
}
