import "../people/people.css";
import "../sites/sites.css";
import "../openapi/openapi.css";

import { useLocation } from "wouter";

import { useMessages } from "../i18n";
import { ChangesPage } from "../openapi/changes-page";
import { SpecList } from "../openapi/spec-list";
import { SpecPage } from "../openapi/spec-page";
import { Title } from "../shell/title";

/** The API specifications of an organization, one of them, and the changes of one of its versions. */
export default function Specifications({ organization }: { organization: string }) {
  const { shell } = useMessages();
  const [location] = useLocation();
  const [slug, view, version] = location.slice(`/o/${organization}/openapi`.length).split("/").filter(Boolean);
  if (slug !== undefined && view === "changes" && version !== undefined) {
    return <ChangesPage key={`${slug}/${version}`} specRef={{ organization, slug }} version={version} />;
  }
  if (slug !== undefined) return <SpecPage key={slug} specRef={{ organization, slug }} />;
  return (
    <div className="page">
      <Title>{shell.specifications}</Title>
      <SpecList organization={organization} />
    </div>
  );
}
