import { useState } from "react";

import { client, data } from "../../api/client";
import { useMessages } from "../../i18n";
import { CopyField } from "../../people/copy-field";
import { useChange } from "../../people/use-change";
import { Button, notify } from "../../ui";
import { Field, Form, Part } from "../parts";
import { keyOfSite, pathOf, type Site, type SiteRef, sitesQuery } from "../queries";
import { Redirects } from "./redirects";

type Body = { basename: string } | { hostname: string | null } | { proxy: string | null };

/** The addresses at which readers find a site, and the redirects of old ones. */
export default function Addresses({ site, found }: { site: SiteRef; found: Site }) {
  const { sites } = useMessages();
  const { hostname, proxy, basename = "" } = found;
  return (
    <>
      <Part title={sites.addressPart} hint={sites.addressHint}>
        <div className="stack sites-narrow">
          {found.urls.published !== undefined && <CopyField label={sites.address} value={found.urls.published} />}
          <AddressForm
            key={`basename ${basename}`}
            site={site}
            label={sites.basename}
            hint={sites.basenameHint}
            value={basename}
            bodyOf={(text) => ({ basename: text })}
            isRequired
          />
        </div>
      </Part>
      <Part title={sites.domain} hint={sites.domainHint}>
        <div className="stack sites-narrow">
          <AddressForm
            key={`hostname ${hostname}`}
            site={site}
            label={sites.hostname}
            hint={sites.hostnameHint}
            value={hostname ?? ""}
            placeholder="docs.example.com"
            bodyOf={(text) => ({ hostname: text || null })}
          />
          <DnsEntry hostname={hostname} />
        </div>
      </Part>
      <Part title={sites.proxy} hint={sites.proxyHint}>
        <div className="stack sites-narrow">
          <AddressForm
            key={`proxy ${proxy?.origin}`}
            site={site}
            label={sites.proxyOrigin}
            hint={sites.proxyOriginHint}
            value={proxy?.origin ?? ""}
            placeholder="www.example.com/docs"
            bodyOf={(text) => ({ proxy: text || null })}
          />
          {proxy && <CopyField label={sites.proxyTarget} value={proxy.target} description={sites.proxyTargetHint} />}
        </div>
      </Part>
      <Redirects site={site} title={found.title} />
    </>
  );
}

interface FormProps {
  site: SiteRef;
  label: string;
  hint: string;
  value: string;
  placeholder?: string;
  isRequired?: boolean;
  bodyOf: (text: string) => Body;
}

function AddressForm({ site, label, hint, value, placeholder, isRequired, bodyOf }: FormProps) {
  const { sites, shell } = useMessages();
  const [text, setText] = useState(value);
  const change = useChange(
    (body: Body) => data(client.PATCH("/orgs/{organizationId}/sites/{siteId}", { params: { path: pathOf(site) }, body })),
    {
      forget: [keyOfSite(site), sitesQuery(site.organization).queryKey],
      isQuiet: true,
      onDone: () => notify(sites.saved, { tone: "success", action: { label: shell.undo, run: () => change.mutate(bodyOf(value)) } }),
    },
  );
  return (
    <Form onSubmit={() => change.mutate(bodyOf(text.trim()))}>
      <Field
        label={label}
        value={text}
        onChange={setText}
        description={hint}
        error={change.error?.message}
        spellCheck="false"
        isRequired={isRequired ?? false}
        {...(placeholder !== undefined && { placeholder })}
      />
      <div className="row">
        <Button type="submit" isPending={change.isPending} isDisabled={text.trim() === value}>
          {shell.save}
        </Button>
        {value !== "" && !isRequired && (
          <Button kind="quiet" onPress={() => change.mutate(bodyOf(""))}>
            {sites.remove}
          </Button>
        )}
      </div>
    </Form>
  );
}

/** True if a host is an address (IPv4) and no name. */
function isAddress(host: string): boolean {
  return /^[\d.]+$/.test(host);
}

/** The entry of the domain name system that leads a hostname to this server. */
function DnsEntry({ hostname }: { hostname: string | undefined }) {
  const { sites } = useMessages();
  return (
    <div className="panel">
      <p>{sites.dnsHint}</p>
      <div className="table-scroll">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{sites.dnsType}</th>
              <th scope="col">{sites.dnsName}</th>
              <th scope="col">{sites.dnsTarget}</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <td>{isAddress(location.hostname) ? "A" : "CNAME"}</td>
              <td className="sites-mono">{hostname ?? "docs.example.com"}</td>
              <td className="sites-mono">{location.hostname}</td>
            </tr>
          </tbody>
        </table>
      </div>
      <p className="hint-text">{sites.dnsProxyHint}</p>
    </div>
  );
}
