import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { client, data, type Schemas } from "../api/client";
import { organizationQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { RoleSelect } from "../people/roles";
import { useChange } from "../people/use-change";
import { Field, Form, Part } from "../sites/parts";
import { Button, Checkbox, ErrorState, Loading, notify } from "../ui";
import { ContentSelect, contentKey, contentOf } from "./content-select";
import { Picture } from "./picture";
import { refusalOf } from "./refusal";
import { SaveBar } from "./save-bar";

type Organization = Schemas["Organization"];

/** The settings of the organization itself. */
export default function General({ organization }: { organization: string }) {
  const found = useQuery(organizationQuery(organization));
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  return <GeneralForm organization={found.data} />;
}

/** The values of the form, as they are typed. */
interface Values {
  title: string;
  logo: string;
  hostname: string;
  defaultRole: Schemas["MemberRoleOrGuest"];
  emailDomains: string;
  inviteLinks: boolean;
  defaultContent: string;
}

function valuesOf({ title, urls, hostname, defaultRole, emailDomains, inviteLinks, defaultContent }: Organization): Values {
  return {
    title,
    logo: urls.logo ?? "",
    hostname: hostname ?? "",
    defaultRole: defaultRole ?? null,
    emailDomains: emailDomains.join(", "),
    inviteLinks,
    defaultContent: contentKey(defaultContent),
  };
}

/** Returns the request that changes the values which differ, and no others. */
function requestOf(values: Values, stored: Values) {
  const isChanged = (name: keyof Values) => values[name] !== stored[name];
  return {
    ...(isChanged("title") && { title: values.title.trim() }),
    ...(isChanged("logo") && { logo: values.logo.trim() || null }),
    ...(isChanged("hostname") && { hostname: values.hostname.trim() }),
    ...(isChanged("defaultRole") && { defaultRole: values.defaultRole }),
    ...(isChanged("emailDomains") && { emailDomains: values.emailDomains.split(/[\s,;]+/).filter(Boolean) }),
    ...(isChanged("inviteLinks") && { inviteLinks: values.inviteLinks }),
    ...(isChanged("defaultContent") && { defaultContent: contentOf(values.defaultContent) }),
  };
}

function GeneralForm({ organization }: { organization: Organization }) {
  const { settings, shell } = useMessages();
  const stored = valuesOf(organization);
  const [values, setValues] = useState(stored);
  const body = requestOf(values, stored);
  const isChanged = Object.keys(body).length > 0;
  const save = useChange(
    () => data(client.PATCH("/orgs/{organizationId}", { params: { path: { organizationId: organization.id } }, body })),
    {
      forget: [["org", organization.id], ["orgs"]],
      isQuiet: true,
      onDone: (after) => {
        setValues(valuesOf(after));
        notify(settings.saved, { tone: "success" });
      },
    },
  );
  const refusal = refusalOf(save.error);
  const errorOf = (field: keyof Values) => (refusal?.field === field ? refusal.reason : undefined);
  const set = (changed: Partial<Values>) => {
    save.reset();
    setValues({ ...values, ...changed });
  };
  const isElsewhere = refusal !== undefined && !(refusal.field !== undefined && refusal.field in values);
  return (
    <Form onSubmit={() => save.mutate()}>
      <Part title={settings.views.general}>
        <div className="stack sites-narrow">
          <Field label={settings.name} value={values.title} onChange={(title) => set({ title })} isRequired minLength={2} error={errorOf("title")} />
          <Picture
            label={settings.logo}
            description={settings.logoHint}
            value={values.logo}
            name={organization.title}
            onChange={(logo) => set({ logo })}
            error={errorOf("logo")}
          />
          <Field
            label={settings.hostname}
            description={settings.hostnameHint}
            value={values.hostname}
            onChange={(hostname) => set({ hostname })}
            isRequired={stored.hostname !== ""}
            error={errorOf("hostname")}
          />
          <ContentSelect organization={organization.id} value={values.defaultContent} onChange={(defaultContent) => set({ defaultContent })} />
        </div>
      </Part>
      <Part title={settings.access}>
        <div className="stack sites-narrow">
          <RoleSelect
            label={settings.defaultRole}
            description={settings.defaultRoleHint}
            value={values.defaultRole}
            onChange={(defaultRole) => set({ defaultRole })}
            guest={{ label: settings.noDefaultRole, description: settings.noDefaultRoleHint }}
          />
          <Field
            label={settings.emailDomains}
            description={settings.emailDomainsHint}
            placeholder="example.org"
            value={values.emailDomains}
            onChange={(emailDomains) => set({ emailDomains })}
            error={errorOf("emailDomains")}
          />
          <div>
            <Checkbox isSelected={values.inviteLinks} onChange={(inviteLinks) => set({ inviteLinks })}>
              {settings.inviteLinks}
            </Checkbox>
            <p className="hint-text">{settings.inviteLinksHint}</p>
          </div>
        </div>
      </Part>
      <SaveBar isShown={isChanged || refusal !== undefined} error={isElsewhere ? refusal.reason : undefined}>
        <Button kind="primary" type="submit" isPending={save.isPending} isDisabled={!isChanged}>
          {shell.save}
        </Button>
        <Button
          isDisabled={save.isPending}
          onPress={() => {
            save.reset();
            setValues(stored);
          }}
        >
          {settings.discard}
        </Button>
      </SaveBar>
    </Form>
  );
}
