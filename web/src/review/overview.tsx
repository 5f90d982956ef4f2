import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";

import type { Schemas } from "../api/client";
import { addressOf } from "../api/place";
import { organizationQuery, spaceQuery } from "../api/queries";
import type { JsonNode } from "../editor/document";
import { useMessages } from "../i18n";
import { memberQuery } from "../people/queries";
import { Avatar, Badge, Button, Icon, TextField, Time } from "../ui";
import { type ChangePlace, usePatch, useUpdate } from "./actions";
import { documentOf, plainOf } from "./plain";
import { brokenLinksQuery, conflictsQuery, contributorsQuery, problemsQuery, reviewsQuery } from "./queries";
import { Rich, RichContext } from "./rich";
import { type RuleState, ruleStates } from "./rules";

interface Props {
  place: ChangePlace;
  row: Schemas["ChangeRequest"];
  canEdit: boolean;
}

/** The description of a change request, its people, and the checks that it passes or not. */
export function Overview({ place, row, canEdit }: Props) {
  const { review } = useMessages();
  const contributors = useQuery(contributorsQuery(place));
  const names = new Set((contributors.data ?? []).filter(({ actionType }) => actionType !== "comment").map(({ user }) => user.displayName));
  names.delete(row.createdBy.displayName);
  return (
    <section className="review-overview" aria-label={review.overview}>
      <p className="review-meta">
        <Avatar name={row.createdBy.displayName} url={row.createdBy.photoURL} />
        <strong>{row.createdBy.displayName}</strong>
        <span className="muted">
          {review.started} <Time at={row.createdAt} />
          {" · "}
          {review.lastChanged} <Time at={row.updatedAt} />
          {names.size > 0 && ` · ${review.withPeople([...names].join(", "))}`}
        </span>
      </p>
      <Description place={place} row={row} canEdit={canEdit} />
      {row.status !== "merged" && <Checks place={place} row={row} canEdit={canEdit} />}
    </section>
  );
}

function Description({ place, row, canEdit }: Props) {
  const { review, shell } = useMessages();
  const nodes = (row.description?.nodes ?? []) as JsonNode[];
  const plain = plainOf(nodes);
  const [text, setText] = useState<string>();
  const patch = usePatch(place);
  if (text !== undefined) {
    const save = () => patch.mutate({ description: documentOf(text) }, { onSuccess: () => setText(undefined) });
    return (
      <form
        className="stack review-description"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
          if (event.key === "Escape") setText(undefined);
        }}
      >
        <TextField label={review.description} value={text} onChange={setText} isMultiline rows={4} autoFocus />
        <div className="row">
          <Button kind="primary" type="submit" isSmall isPending={patch.isPending}>
            {shell.save}
          </Button>
          <Button isSmall onPress={() => setText(undefined)}>
            {shell.cancel}
          </Button>
        </div>
      </form>
    );
  }
  return (
    <div className="review-description">
      <RichContext value={{ organization: place.organization, fileAddress: () => undefined }}>
        <Rich nodes={nodes} />
      </RichContext>
      {canEdit && plain !== undefined && (
        <Button kind="quiet" isSmall icon="edit" onPress={() => setText(plain)}>
          {nodes.length > 0 ? review.editDescription : review.addDescription}
        </Button>
      )}
    </div>
  );
}

type State = "met" | "unmet" | "unknown";

function Check({ state, children, action }: { state: State; children: ReactNode; action?: ReactNode }) {
  const { review } = useMessages();
  return (
    <li data-state={state}>
      <Icon name={state === "met" ? "check" : state === "unmet" ? "warning" : "info"} />
      <span className="visually-hidden">{review.checkStates[state]}: </span>
      <span className="grow">{children}</span>
      {action}
    </li>
  );
}

function Checks({ place, row, canEdit }: Props) {
  const { review, shell } = useMessages();
  const conflicts = useQuery(conflictsQuery(place));
  const broken = useQuery(brokenLinksQuery(place, row.revision));
  const problems = useQuery(problemsQuery(place, row.revision));
  const reviews = useQuery(reviewsQuery(place));
  const space = useQuery(spaceQuery(place.space));
  const own = space.data?.mergeRules;
  const organization = useQuery({ ...organizationQuery(place.organization), enabled: own?.type === "inherit" });
  const rules = own?.type === "inherit" ? organization.data?.mergeRules : own;
  const states = rules?.type === "rules" && reviews.data ? ruleStates(rules.rules, { changeRequest: row, reviews: reviews.data }) : [];
  const hasOutdatedRule = states.some(({ rule }) => rule.rule === "require_up_to_date_change_request");
  const update = useUpdate(place);
  const updateButton = canEdit && row.outdated && (
    <Button isSmall isPending={update.isPending} onPress={() => update.mutate()}>
      {review.update}
    </Button>
  );
  const failed = [conflicts, broken, problems, reviews, space, organization].filter(({ isError }) => isError);
  const conflictCount = conflicts.data?.length ?? 0;
  return (
    <section aria-labelledby="checks">
      <h2 id="checks">{review.checks}</h2>
      <ul className="review-checks">
        {conflicts.isSuccess && (
          <Check state={conflictCount === 0 ? "met" : "unmet"}>
            {conflictCount > 0 ? <a href="#conflicts">{review.conflictCount(conflictCount)}</a> : row.outdated ? review.noConflictsYet : review.noConflicts}
          </Check>
        )}
        {broken.isSuccess && (
          <Check state={broken.data.items.length === 0 ? "met" : "unmet"}>
            {broken.data.items.length === 0 ? review.noBrokenLinks : review.brokenLinks(broken.data.count ?? broken.data.items.length)}
            <BrokenLinks place={place} items={broken.data.items} />
          </Check>
        )}
        {problems.isSuccess && (
          <Check state={problems.data.items.length === 0 && problems.data.complete ? "met" : "unmet"}>
            <TextProblems place={place} {...problems.data} />
          </Check>
        )}
        {failed.length > 0 && (
          <Check
            state="unknown"
            action={
              <Button isSmall onPress={() => failed.forEach((one) => void one.refetch())}>
                {shell.retry}
              </Button>
            }
          >
            {review.checksFailed}
          </Check>
        )}
        {!hasOutdatedRule && row.outdated && (
          <Check state="unknown" action={updateButton}>
            {review.isOutdated}
          </Check>
        )}
        {states.map((state, at) => (
          <Check key={at} state={state.state} action={state.rule.rule === "require_up_to_date_change_request" && updateButton}>
            <RuleText organization={place.organization} state={state} />
          </Check>
        ))}
      </ul>
    </section>
  );
}

function RuleText({ organization, state: { rule, state, missing = [] } }: { organization: string; state: RuleState }) {
  const { review } = useMessages();
  return (
    <>
      {state === "unmet" ? review.rulesUnmet[rule.rule] : review.rulesMet[rule.rule]}
      {rule.rule === "custom" && <code className="review-expression">{rule.expression}</code>}
      {missing.map((user) => (
        <Badge key={user} tone="warning">
          <PersonName organization={organization} user={user} />
        </Badge>
      ))}
    </>
  );
}

function PersonName({ organization, user }: { organization: string; user: string }) {
  const found = useQuery({ ...memberQuery(organization, user), staleTime: 300_000 });
  return found.data?.user.displayName ?? user;
}

function BrokenLinks({ place, items }: { place: ChangePlace; items: readonly Schemas["ContentReferenceUsage"][] }) {
  const { shell } = useMessages();
  if (items.length === 0) return null;
  return (
    <ul>
      {items.map(({ targetReference, locationReferences }, at) => (
        <li key={at}>
          <code>{targetReference?.kind === "url" ? targetReference.url : (targetReference?.kind ?? "")}</code>{" "}
          {locationReferences.map((location, index) =>
            location.kind === "page" ? (
              <Link key={index} href={addressOf(place, location.page.id)}>
                {location.page.title || shell.untitled}
              </Link>
            ) : null,
          )}
        </li>
      ))}
    </ul>
  );
}

/** The mistakes in the pages of a change request, each with its page and the text at fault. */
function TextProblems({ place, items, complete }: { place: ChangePlace } & Schemas["ChangeRequestProblems"]) {
  const { review, shell } = useMessages();
  if (items.length === 0) return complete ? review.noProblems : review.problemsUnread;
  return (
    <>
      {review.problems}
      <ul className="review-problems" aria-label={review.problems}>
        {items.map(({ page, message, source }, at) => (
          <li key={at}>
            <Link href={addressOf(place, page.id)}>{page.title || shell.untitled}</Link>: {message}
            {source !== "" && <code className="review-expression">{source}</code>}
          </li>
        ))}
        {!complete && <li className="muted">{review.moreProblems}</li>}
      </ul>
    </>
  );
}
