import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { client, data, type Schemas } from "../api/client";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Button, ErrorState, Icon, Loading, Menu, notify, Switch } from "../ui";
import { Field, Form, Part } from "./parts";
import { keyOfSite, pathOf, schemaQuery, segmentsQuery, type Site, siteQuery, type SiteRef } from "./queries";
import { usePreview } from "./use-preview";

type Schema = Schemas["SiteAdaptiveJSONSchema"];

const EMPTY: Schema = { type: "object", properties: {}, additionalProperties: false };

/** Content that only some visitors see: the switch, the schema of their claims, and a view as one of them. */
export function AdaptiveContent({ site, found }: { site: SiteRef; found: Site }) {
  const { sites } = useMessages();
  const isOn = found.adaptiveContent?.enabled === true;
  const change = useChange(
    (enabled: boolean) => {
      const body = { adaptiveContent: { enabled } };
      return data(client.PATCH("/orgs/{organizationId}/sites/{siteId}", { params: { path: pathOf(site) }, body }));
    },
    { forget: [siteQuery(site).queryKey] },
  );
  const schema = useQuery({ ...schemaQuery(site), enabled: isOn });
  const shown = schema.isSuccess ? JSON.stringify(schema.data?.jsonSchema ?? EMPTY, null, 2) : "";
  return (
    <Part title={sites.adaptive} hint={sites.adaptiveHint}>
      <Switch isSelected={change.isPending ? change.variables : isOn} onChange={(enabled) => change.mutate(enabled)}>
        {sites.adaptiveSwitch}
      </Switch>
      {isOn && (
        <div className="sites-columns">
          <div>
            {schema.isPending && <Loading />}
            {schema.isError && <ErrorState error={schema.error} onRetry={() => void schema.refetch()} />}
            {schema.isSuccess && <SchemaForm key={shown} site={site} text={shown} />}
          </div>
          <TryAsVisitor site={site} />
        </div>
      )}
    </Part>
  );
}

function SchemaForm({ site, text }: { site: SiteRef; text: string }) {
  const { sites, shell } = useMessages();
  const [value, setValue] = useState(text);
  const save = useChange(
    () => {
      let jsonSchema: Schema;
      try {
        jsonSchema = JSON.parse(value) as Schema;
      } catch (error) {
        throw new Error(sites.notJson(error instanceof Error ? error.message : ""));
      }
      return data(client.PUT("/orgs/{organizationId}/sites/{siteId}/adaptive-schema", { params: { path: pathOf(site) }, body: { jsonSchema } }));
    },
    { forget: [keyOfSite(site)], isQuiet: true, onDone: () => notify(sites.saved, { tone: "success" }) },
  );
  return (
    <Form onSubmit={() => void save.mutateAsync().catch(() => undefined)}>
      <div className="sites-code">
        <Field
          label={sites.schema}
          description={sites.schemaHint}
          isMultiline
          rows={14}
          value={value}
          onChange={setValue}
          spellCheck="false"
          error={save.error?.message}
        />
      </div>
      <div className="row">
        <Button type="submit" isPending={save.isPending} isDisabled={value === text}>
          {shell.save}
        </Button>
      </div>
    </Form>
  );
}

function TryAsVisitor({ site }: { site: SiteRef }) {
  const { sites } = useMessages();
  const [claims, setClaims] = useState('{\n  "plan": "pro"\n}');
  const { start, state } = usePreview(site);
  const segments = useQuery({ ...segmentsQuery(site), retry: false });
  const commands = (segments.data ?? []).map((segment) => ({
    id: JSON.stringify(segment.claims),
    label: segment.title,
    run: () => setClaims(JSON.stringify(segment.claims, null, 2)),
  }));
  return (
    <Form onSubmit={() => start(claims)}>
      <div className="sites-code">
        <Field
          label={sites.claims}
          description={sites.claimsHint}
          isMultiline
          rows={6}
          value={claims}
          onChange={setClaims}
          spellCheck="false"
          error={state.error?.message}
        />
      </div>
      <div className="row">
        <Button type="submit" icon="eye" isPending={state.isPending}>
          {sites.tryAsVisitor}
        </Button>
        {commands.length > 0 && (
          <Menu label={sites.recentVisitors} commands={commands}>
            {sites.recentVisitors}
            <Icon name="down" />
          </Menu>
        )}
      </div>
    </Form>
  );
}
