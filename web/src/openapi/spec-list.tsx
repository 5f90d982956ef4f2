import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { organizationQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { More } from "../people/more";
import { Badge, Button, EmptyState, ErrorState, Icon, Loading } from "../ui";
import { NewSpec } from "./new-spec";
import { addressOfSpecs, specsQuery } from "./queries";
import { hostOf, type Spec } from "./spec";
import { LastRun, StateBadge } from "./state";

/** The specifications of an organization. */
export function SpecList({ organization }: { organization: string }) {
  const { shell, openapi } = useMessages();
  const [isAdding, setIsAdding] = useState(false);
  const found = useInfiniteQuery(specsQuery(organization));
  const canAdd = useQuery(organizationQuery(organization)).data?.permissions.createOpenAPISpec === true;
  const specs = found.data?.pages.flatMap(({ items }) => items) ?? [];
  const isEmpty = found.isSuccess && specs.length === 0;
  const add = canAdd && (
    <Button kind="primary" icon="plus" onPress={() => setIsAdding(true)}>
      {openapi.add}
    </Button>
  );
  return (
    <>
      <header className="page-header sites-head">
        <h1>{shell.specifications}</h1>
        {!isEmpty && add}
      </header>
      {found.isPending && <Loading />}
      {found.isError && !found.data && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {isEmpty && (
        <EmptyState title={openapi.none} action={add}>
          {canAdd ? openapi.noneHint : openapi.noneReadOnly}
        </EmptyState>
      )}
      {specs.length > 0 && (
        <ul className="list">
          {specs.map((spec) => (
            <SpecRow key={spec.id} organization={organization} spec={spec} />
          ))}
        </ul>
      )}
      <More {...found} />
      {isAdding && <NewSpec organization={organization} onClose={() => setIsAdding(false)} />}
    </>
  );
}

function SpecRow({ organization, spec }: { organization: string; spec: Spec }) {
  const { openapi } = useMessages();
  const error = spec.lastProcessErrorCode === undefined ? undefined : spec.lastProcessedErrors?.[0]?.message;
  return (
    <li className="sites-wrap openapi-row">
      <Icon name="code" />
      <div className="grow">
        <Link href={addressOfSpecs(organization, spec.slug)} className="sites-name">
          {spec.slug}
        </Link>
        <div className="muted sites-address">{hostOf(spec) ?? openapi.uploaded}</div>
        {error !== undefined && <div className="openapi-error">{error}</div>}
      </div>
      {spec.visibility === "public" && <Badge>{openapi.visibilities.public}</Badge>}
      <span className="openapi-run">
        <StateBadge spec={spec} />
        <span className="muted">
          <LastRun spec={spec} />
        </span>
      </span>
    </li>
  );
}
