/** The operations on the tracking plan and the event catalogue of a source. */
import { EventCatalog } from "../event-catalog.ts";
import { LIMITS } from "../limits.ts";
import { BODY_CODES, type Operation, QUERY_CODES, sourceCodes } from "../operation.ts";
import { PlanProposal, PlanQuery, PlanVersion, PlanVersionList, SavePlanBody } from "../plan.ts";
import { SourceOrganizationQuery } from "./queries.ts";

const PLAN = "/api/tracking-sources/:sourceId/plan";

export const PLAN_OPERATIONS = [
  {
    id: "getEventCatalog",
    tag: "Tracking plan",
    method: "GET",
    path: "/api/tracking-sources/:sourceId/catalog",
    summary: "Get the event catalogue of a source",
    description:
      "Which events the source has accepted, and what they look like. Events are counted within a few seconds. Properties are read from a sample of events.",
    access: "debug:read",
    organization: "optional-query",
    source: "path",
    query: SourceOrganizationQuery,
    status: 200,
    answer: EventCatalog,
    codes: sourceCodes(QUERY_CODES),
  },
  {
    id: "getPlan",
    tag: "Tracking plan",
    method: "GET",
    path: PLAN,
    summary: "Get the tracking plan of a source",
    description:
      "The response has the current version, or the one that `version` names. A source without a plan has version 0 and the mode `off`.",
    access: "sources:read",
    organization: "optional-query",
    source: "path",
    query: PlanQuery,
    status: 200,
    answer: PlanVersion,
    codes: sourceCodes([...QUERY_CODES, "plan_version_not_found"]),
  },
  {
    id: "savePlan",
    tag: "Tracking plan",
    method: "PUT",
    path: PLAN,
    summary: "Save a new version of the tracking plan",
    description:
      "The plan replaces the current one. To restore an earlier version, send its `plan`. A plan that equals the current one makes no version. Ingest applies the plan within a second.",
    access: "sources:write",
    organization: "optional-body",
    source: "path",
    body: SavePlanBody,
    maxBodyBytes: LIMITS.maxPlanBytes,
    status: 200,
    answer: PlanVersion,
    codes: sourceCodes([...BODY_CODES, "plan_changed"]),
  },
  {
    id: "listPlanVersions",
    tag: "Tracking plan",
    method: "GET",
    path: `${PLAN}/versions`,
    summary: "List the versions of the tracking plan",
    description: "Who saved each version, and when. Get the plan of a version with `GET …/plan?version=`.",
    access: "sources:read",
    organization: "optional-query",
    source: "path",
    query: SourceOrganizationQuery,
    status: 200,
    answer: PlanVersionList,
    codes: sourceCodes(QUERY_CODES),
  },
  {
    id: "proposePlan",
    tag: "Tracking plan",
    method: "GET",
    path: `${PLAN}/proposal`,
    summary: "Propose a tracking plan from the event catalogue",
    description:
      "The current plan, with the events of the catalogue that it does not have. It states the types that were seen, and requires a property if at least 20 events were seen and all of them had it. It proposes no lists of values. Nothing is saved. A source without a plan gets the mode `warn`.",
    access: "debug:read",
    organization: "optional-query",
    source: "path",
    query: SourceOrganizationQuery,
    status: 200,
    answer: PlanProposal,
    codes: sourceCodes(QUERY_CODES),
  },
] as const satisfies readonly Operation[];
