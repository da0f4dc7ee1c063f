/** The part of the table of operations that is about a workspace as a whole: erasures, its set-up, what it uses, and help. */
import Type from "typebox";
import { BODY, type Operation, onWorkspace, QUERY } from "../operation.ts";
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
      "Erase what a workspace, or one of its sources, holds of a visitor; answered with a receipt to poll",
    access: "visitors:erase",
    organization: "body",
    body: visitors.EraseBody,
    status: 202,
    answer: visitors.Erasure,
    codes: onWorkspace([...BODY, "source_not_found", "too_many_erasures"]),
  },
  {
    id: "getErasure",
    method: "GET",
    path: "/api/visitors/erase/:receiptId",
    summary: "How far the erasure of a visitor has come",
    access: "visitors:erase",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: visitors.Erasure,
    codes: onWorkspace([...QUERY, "erasure_not_found"]),
  },
  {
    id: "getOnboarding",
    method: "GET",
    path: "/api/onboarding",
    summary: "Which set-up steps are done, from the data",
    access: "sources:read",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: workspace.Onboarding,
    codes: onWorkspace(QUERY),
  },
  {
    id: "completeOnboarding",
    method: "POST",
    path: "/api/onboarding",
    summary: "Mark the set-up as completed",
    access: "sources:write",
    organization: "body",
    body: workspace.CompleteOnboardingBody,
    status: 200,
    answer: workspace.Onboarding,
    codes: onWorkspace(BODY),
  },
  {
    id: "getUsage",
    method: "GET",
    path: "/api/usage",
    summary: "Accepted events and bootstraps by source and day",
    access: "usage:read",
    organization: "query",
    query: UsageQuery,
    status: 200,
    answer: workspace.Usage,
    codes: onWorkspace(QUERY),
  },
  {
    id: "getBilling",
    method: "GET",
    path: "/api/billing",
    summary: "The plan, its limits and the period's usage",
    access: "usage:read",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: workspace.Billing,
    codes: onWorkspace(QUERY),
  },
  {
    id: "getSupport",
    method: "GET",
    path: "/api/support",
    summary: "Version, settings without secrets, health, and a bundle to attach to a report",
    access: "support:read",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: workspace.Support,
    codes: onWorkspace(QUERY),
  },
] as const satisfies readonly Operation[];
