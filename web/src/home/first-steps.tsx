import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { client, data } from "../api/client";
import { addressOf } from "../api/place";
import { organizationQuery, sessionQuery, spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { addressOfSite, sitesQuery } from "../sites/queries";
import { Button, Icon } from "../ui";

/** The key under which the browser remembers that the first steps are hidden. */
const STEPS_HIDDEN = "bindery.steps-hidden";

interface Props {
  organization: string;
  /** Opens the window that creates a space. */
  onNewSpace: () => void;
}

interface Step {
  id: string;
  title: string;
  hint: string;
  isDone: boolean;
  action: string;
  /** The address to which the step leads; absent if it needs a space first. */
  to: string | undefined;
}

/** The newest change request of a person with a status. */
function useOwnChange(organization: string, creator: string | undefined, status: "merged" | "open" | "draft") {
  return useQuery({
    queryKey: ["org", organization, "changes", { creator, status, limit: 1 }],
    enabled: creator !== undefined,
    queryFn: async ({ signal }) => {
      const query = { creator: creator ?? "", status, limit: 1 };
      const params = { path: { organizationId: organization }, query };
      return (await data(client.GET("/orgs/{organizationId}/change-requests", { params, signal }))).items[0] ?? null;
    },
  });
}

/** Returns the steps from a first page to a published one, as far as the person may take them; absent until it is known what is done. */
function useSteps(organization: string): Step[] | undefined {
  const { home } = useMessages();
  const user = useQuery(sessionQuery).data?.user.id;
  const permissions = useQuery(organizationQuery(organization)).data?.permissions;
  const spaces = useQuery(spacesQuery(organization)).data;
  const sites = useQuery(sitesQuery(organization)).data;
  const draft = useOwnChange(organization, user, "draft").data;
  const open = useOwnChange(organization, user, "open").data;
  const merged = useOwnChange(organization, user, "merged").data;
  if (!permissions || !spaces || !sites || draft === undefined || open === undefined || merged === undefined) return undefined;
  const base = `/o/${organization}`;
  const editable = spaces.find(({ permissions: { editChangeRequests } }) => editChangeRequests);
  if (!editable && !permissions.createContent) return [];
  const own = open ?? draft;
  const isMerged = merged !== null;
  const published = sites.find((site) => site.published);
  const site = published ?? sites[0];
  const steps: Step[] = [
    {
      id: "write",
      title: home.stepWrite,
      hint: home.stepWriteHint,
      isDone: own !== null || isMerged,
      action: editable ? home.openSpace : home.newSpace,
      to: editable && addressOf({ organization, space: editable.id }),
    },
    {
      id: "review",
      title: home.stepReview,
      hint: home.stepReviewHint,
      isDone: isMerged,
      action: own && !isMerged ? home.openOwnChange : home.openChanges,
      to: own && !isMerged ? addressOf({ organization, space: own.space, changeRequest: String(own.number) }, "~/review") : `${base}/changes`,
    },
  ];
  if (permissions.createContent) {
    steps.push({
      id: "publish",
      title: home.stepPublish,
      hint: published ? home.stepPublishedHint(published.title) : home.stepPublishHint,
      isDone: isMerged && published !== undefined,
      action: site ? home.openSite : home.openSites,
      to: site ? addressOfSite({ organization, site: site.id }) : `${base}/sites`,
    });
  }
  return steps;
}

/** Leads to a first page, its review and its publication. It goes away when all of that is done. */
export function FirstSteps({ organization, onNewSpace }: Props) {
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(STEPS_HIDDEN) !== null);
  const hide = () => {
    localStorage.setItem(STEPS_HIDDEN, "1");
    setIsHidden(true);
  };
  return isHidden ? null : <Steps organization={organization} onNewSpace={onNewSpace} onHide={hide} />;
}

function Steps({ organization, onNewSpace, onHide }: Props & { onHide: () => void }) {
  const { home } = useMessages();
  const steps = useSteps(organization);
  if (steps === undefined || steps.every(({ isDone }) => isDone)) return null;
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <section aria-labelledby="steps">
      <div className="home-steps-head">
        <h2 id="steps">{home.steps}</h2>
        <span className="muted">{home.stepsDone(steps.filter(({ isDone }) => isDone).length, steps.length)}</span>
        <span className="grow" />
        <Button kind="quiet" isSmall onPress={onHide}>
          {home.hideSteps}
        </Button>
      </div>
      <ol className="home-steps">
        {steps.map((step) => (
          <li key={step.id} data-done={step.isDone || undefined} aria-current={step === next ? "step" : undefined}>
            <h3>
              {step.title}
              {step.isDone && <span className="visually-hidden"> ({home.done})</span>}
            </h3>
            {step.isDone && <Icon name="check" />}
            <p>{step.hint}</p>
            <StepAction step={step} isNext={step === next} onNewSpace={onNewSpace} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function StepAction({ step, isNext, onNewSpace }: { step: Step; isNext: boolean; onNewSpace: () => void }) {
  if (step.to === undefined) {
    return (
      <Button isSmall {...(isNext && { kind: "primary" as const })} onPress={onNewSpace}>
        {step.action}
      </Button>
    );
  }
  return (
    <Link href={step.to} className={isNext ? "button button-small button-primary" : "button button-small"}>
      {step.action}
    </Link>
  );
}
