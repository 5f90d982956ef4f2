import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { client, data } from "../api/client";
import { useMessages } from "../i18n";
import { CopyField } from "../people/copy-field";
import { useChange } from "../people/use-change";
import { Button, Confirm, ErrorState, Loading, notify } from "../ui";
import { AdaptiveContent } from "./adaptive";
import { VisibilitySelect } from "./new-site";
import { Field, Form, Part } from "./parts";
import { addressOfSite, authQuery, keyOfSite, pathOf, type Site, type SiteRef, sitesQuery, type Visibility } from "./queries";

/** The readers of a site: who they are, how they prove it, and what they see. */
export default function Audience({ site, found }: { site: SiteRef; found: Site }) {
  const { sites } = useMessages();
  return (
    <>
      <Part title={sites.whoReads}>
        <VisibilityField site={site} found={found} />
        {found.visibility === "share-link" && <Link href={addressOfSite(site, "share-links")}>{sites.views["share-links"]}</Link>}
      </Part>
      <VisitorAuthentication site={site} found={found} />
      <AdaptiveContent site={site} found={found} />
    </>
  );
}

function VisibilityField({ site, found }: { site: SiteRef; found: Site }) {
  const { sites, shell } = useMessages();
  const change = useChange(
    (visibility: Visibility) => data(client.PATCH("/orgs/{organizationId}/sites/{siteId}", { params: { path: pathOf(site) }, body: { visibility } })),
    { forget: [keyOfSite(site), sitesQuery(site.organization).queryKey] },
  );
  const choose = (visibility: Visibility) => {
    const before = found.visibility;
    if (visibility === before) return;
    change.mutate(visibility, {
      onSuccess: () =>
        notify(sites.visibilityChanged(sites.visibilities[visibility]), { tone: "success", action: { label: shell.undo, run: () => change.mutate(before) } }),
    });
  };
  return (
    <div className="sites-narrow">
      <VisibilitySelect value={change.isPending ? change.variables : found.visibility} onChange={choose} />
    </div>
  );
}

function VisitorAuthentication({ site, found }: { site: SiteRef; found: Site }) {
  const { sites } = useMessages();
  const auth = useQuery(authQuery(site));
  return (
    <Part title={sites.visitorAuth} hint={found.visibility === "visitor-auth" ? sites.visitorAuthHint : sites.visitorAuthOff}>
      {auth.isPending && <Loading />}
      {auth.isError && <ErrorState error={auth.error} onRetry={() => void auth.refetch()} />}
      {auth.isSuccess && (
        <div className="stack sites-narrow">
          <FallbackForm key={auth.data.fallbackURL} site={site} backend={auth.data.backend} address={auth.data.fallbackURL ?? ""} />
          <SigningKey site={site} value={auth.data.privateKey} />
        </div>
      )}
    </Part>
  );
}

function FallbackForm({ site, backend, address }: { site: SiteRef; backend: "custom" | "integration"; address: string }) {
  const { sites, shell } = useMessages();
  const [value, setValue] = useState(address);
  const save = useChange(
    () => {
      const body = { backend, fallbackURL: value.trim() || null };
      return data(client.PATCH("/orgs/{organizationId}/sites/{siteId}/publishing/auth", { params: { path: pathOf(site) }, body }));
    },
    { forget: [authQuery(site).queryKey], isQuiet: true, onDone: () => notify(sites.saved, { tone: "success" }) },
  );
  return (
    <Form onSubmit={() => save.mutate()}>
      <Field label={sites.signInPage} type="url" value={value} onChange={setValue} description={sites.signInPageHint} error={save.error?.message} />
      <div className="row">
        <Button type="submit" isPending={save.isPending} isDisabled={value.trim() === address}>
          {shell.save}
        </Button>
      </div>
    </Form>
  );
}

function SigningKey({ site, value }: { site: SiteRef; value: string }) {
  const { sites } = useMessages();
  const [isShown, setIsShown] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const regenerate = useChange(
    () => data(client.POST("/orgs/{organizationId}/sites/{siteId}/publishing/auth/regenerate", { params: { path: pathOf(site) } })),
    {
      forget: [authQuery(site).queryKey],
      onDone: () => {
        setIsAsking(false);
        setIsShown(true);
        notify(sites.keyReplaced, { tone: "success" });
      },
    },
  );
  return (
    <>
      {isShown && <CopyField label={sites.signingKey} value={value} description={sites.signingKeyHint} />}
      <div className="row">
        <Button icon={isShown ? "hidden" : "key"} onPress={() => setIsShown(!isShown)}>
          {isShown ? sites.hideKey : sites.showKey}
        </Button>
        <Button onPress={() => setIsAsking(true)}>{sites.replaceKey}</Button>
      </div>
      <Confirm
        title={sites.replaceKey}
        action={sites.replaceKey}
        isOpen={isAsking}
        isBusy={regenerate.isPending}
        onClose={() => setIsAsking(false)}
        onConfirm={() => regenerate.mutate()}
      >
        <p>{sites.replaceKeyHint}</p>
      </Confirm>
    </>
  );
}
