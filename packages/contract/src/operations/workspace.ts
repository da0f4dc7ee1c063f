/** The operations on a whole workspace: erasures, onboarding, usage and support. */
import Type from "typebox";
import { BODY_CODES, type Operation, QUERY_CODES, workspaceCodes } from "../operation.ts";
import { Closed, OrganizationId } from "../shapes.ts";
import * as visitors from "../visitors.ts";
import * as workspace from "../workspace.ts";
import { OrganizationQuery } from "./queries.ts";

const day = (description: string) =>
  Type.Optional(Type.String({ format: "date", pattern: "^\\d{4}-\\d\\d-\\d\\d$", description }));
const UsageQuery = Closed({
  organizationId: OrganizationId,
  from: day("the first day in UTC, such as 2026-11-21"),
  to: day("the last day in UTC, such as 2026-11-21"),
});

export const WORKSPACE_OPERATIONS = [
  {
    id: "eraseVisitor",
    tag: "Privacy",
    method: "POST",
    path: "/api/visitors/erase",
    summary: "Erase a visitor's data",
    description:
      "Deletes every event, session and debug record with this id that was received before the request. Give either `anonymousId` or `userId`. The work continues after the response: poll the receipt at `Location`.",
    access: "visitors:erase",
    organization: "body",
    body: visitors.EraseBody,
    status: 202,
    responseHeaders: ["Location"],
    answer: visitors.Erasure,
    codes: workspaceCodes([...BODY_CODES, "source_not_found", "too_many_erasures"]),
  },
  {
    id: "getErasure",
    tag: "Privacy",
    method: "GET",
    path: "/api/visitors/erase/:receiptId",
    summary: "Get the status of an erasure",
    description: "A receipt is kept for 90 days after the erasure is done.",
    access: "visitors:erase",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: visitors.Erasure,
    codes: workspaceCodes([...QUERY_CODES, "erasure_not_found"]),
  },
  {
    id: "getOnboarding",
    tag: "Workspaces",
    method: "GET",
    path: "/api/onboarding",
    summary: "List the onboarding steps and whether each is done",
    description: "The steps are computed from the data of the workspace.",
    access: "sources:read",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: workspace.Onboarding,
    codes: workspaceCodes(QUERY_CODES),
  },
  {
    id: "completeOnboarding",
    tag: "Workspaces",
    method: "POST",
    path: "/api/onboarding",
    summary: "Mark onboarding as completed",
    description: "The console then no longer shows the steps.",
    access: "sources:write",
    organization: "body",
    body: workspace.CompleteOnboardingBody,
    status: 200,
    answer: workspace.Onboarding,
    codes: workspaceCodes(BODY_CODES),
  },
  {
    id: "getUsage",
    tag: "Usage",
    method: "GET",
    path: "/api/usage",
    summary: "Count accepted events and bootstraps by source and day",
    description:
      "The counts are updated in the transaction that accepts events, so they equal what was acknowledged.",
    access: "usage:read",
    organization: "query",
    query: UsageQuery,
    status: 200,
    answer: workspace.Usage,
    codes: workspaceCodes(QUERY_CODES),
  },
  {
    id: "getBilling",
    tag: "Usage",
    method: "GET",
    path: "/api/billing",
    summary: "Get the plan, its limits and the usage of this month",
    description: "A service that you run yourself has the plan `self-hosted`, with no limit on events.",
    access: "usage:read",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: workspace.Billing,
    codes: workspaceCodes(QUERY_CODES),
  },
  {
    id: "getSupport",
    tag: "Usage",
    method: "GET",
    path: "/api/support",
    summary: "Get facts for support",
    description:
      "Version, health, settings without secrets, and a bundle to attach to a report. Settings and the details of the machine are for operators only: owners of the first workspace.",
    access: "support:read",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: workspace.Support,
    codes: workspaceCodes(QUERY_CODES),
  },
] as const satisfies readonly Operation[];
