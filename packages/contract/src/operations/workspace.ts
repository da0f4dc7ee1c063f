/** The operations on a whole workspace: erasures, onboarding, usage and support. */
import Type from "typebox";
import { BODY_CODES, type Operation, QUERY_CODES, workspaceCodes } from "../operation.ts";
import { Closed, Id } from "../shapes.ts";
import * as visitors from "../visitors.ts";
import * as workspace from "../workspace.ts";
import { OrganizationQuery } from "./queries.ts";

const Day = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$", description: "a day, such as 2026-11-21" });
const UsageQuery = Closed({ organizationId: Id, from: Type.Optional(Day), to: Type.Optional(Day) });

export const WORKSPACE_OPERATIONS = [
  {
    id: "eraseVisitor",
    method: "POST",
    path: "/api/visitors/erase",
    summary:
      "Start to erase a visitor's data in a workspace or in one source. Returns a receipt whose status can be polled",
    access: "visitors:erase",
    organization: "body",
    body: visitors.EraseBody,
    status: 202,
    answer: visitors.Erasure,
    codes: workspaceCodes([...BODY_CODES, "source_not_found", "too_many_erasures"]),
  },
  {
    id: "getErasure",
    method: "GET",
    path: "/api/visitors/erase/:receiptId",
    summary: "Get the status of an erasure",
    access: "visitors:erase",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: visitors.Erasure,
    codes: workspaceCodes([...QUERY_CODES, "erasure_not_found"]),
  },
  {
    id: "getOnboarding",
    method: "GET",
    path: "/api/onboarding",
    summary: "List the onboarding steps and whether each is done",
    access: "sources:read",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: workspace.Onboarding,
    codes: workspaceCodes(QUERY_CODES),
  },
  {
    id: "completeOnboarding",
    method: "POST",
    path: "/api/onboarding",
    summary: "Mark onboarding as completed",
    access: "sources:write",
    organization: "body",
    body: workspace.CompleteOnboardingBody,
    status: 200,
    answer: workspace.Onboarding,
    codes: workspaceCodes(BODY_CODES),
  },
  {
    id: "getUsage",
    method: "GET",
    path: "/api/usage",
    summary: "Count accepted events and bootstraps by source and day",
    access: "usage:read",
    organization: "query",
    query: UsageQuery,
    status: 200,
    answer: workspace.Usage,
    codes: workspaceCodes(QUERY_CODES),
  },
  {
    id: "getBilling",
    method: "GET",
    path: "/api/billing",
    summary: "Get the plan, its limits and the usage of this month",
    access: "usage:read",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: workspace.Billing,
    codes: workspaceCodes(QUERY_CODES),
  },
  {
    id: "getSupport",
    method: "GET",
    path: "/api/support",
    summary: "Get version, settings without secrets, health, and a bundle to attach to a bug report",
    access: "support:read",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: workspace.Support,
    codes: workspaceCodes(QUERY_CODES),
  },
] as const satisfies readonly Operation[];
