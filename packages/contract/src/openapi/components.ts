/**
 * The schemas that the OpenAPI document names, each once in `components/schemas`. Wherever one of them is part of another
 * schema, the document refers to it. Generated clients have a type of the same name.
 */
import type { TSchema } from "typebox";
import * as debug from "../debug.ts";
import * as ingest from "../ingest.ts";
import { InstallPayload } from "../install.ts";
import { McpAnswer, McpMessage } from "../mcp.ts";
import { Time } from "../shapes.ts";
import { Goal, Privacy, SourceLimits } from "../source-fields.ts";
import * as sources from "../sources.ts";
import * as stats from "../stats.ts";
import { InstallCheck, PageReport, PageSnippet, Verification, VerifyBody } from "../verify.ts";
import { EraseBody, Erasure } from "../visitors.ts";
import * as workspace from "../workspace.ts";

export const COMPONENTS = {
  Timestamp: Time,
  Error: debug.Failure,
  Issue: debug.IssueShape,

  Event: ingest.Event,
  Page: ingest.Page,
  Context: ingest.Context,
  StartSession: ingest.BootstrapBody,
  Session: ingest.BootstrapAnswer,
  EventBatch: ingest.EventsBody,
  EventBatchResult: ingest.EventsAnswer,
  EventResult: ingest.EventResult,
  ClientLimits: ingest.ClientLimits,
  LegacyStartSession: ingest.LegacyBootstrapBody,
  LegacyEventBatch: ingest.LegacyEventsBody,

  Source: sources.Source,
  SourceList: sources.SourceList,
  Goal,
  Privacy,
  SourceLimits,
  CreateSource: sources.CreateSourceBody,
  UpdateSource: sources.UpdateSourceBody,
  DeletedSource: sources.DeletedSource,
  RegenerateKey: sources.RegenerateKeyBody,
  RestoreKey: sources.RestoreKeyBody,

  Install: InstallPayload,
  VerifyInstall: VerifyBody,
  PageReport,
  PageSnippet,
  Verification,
  InstallCheck,

  DebugView: debug.DebugData,
  Attempt: debug.DebugAttempt,
  AppliedLimits: sources.AppliedLimits,
  DailyQuota: sources.DailyQuota,
  SourceHealth: debug.SourceHealth,

  StatsQuery: stats.StatsQueryBody,
  StatsResult: stats.StatsAnswer,
  StatsRow: stats.StatsRow,
  Metric: stats.StatsMetric,
  Dimension: stats.StatsDimension,
  Filter: stats.StatsFilter,
  StatsGoal: stats.StatsGoal,
  DateRange: stats.DateRange,
  FunnelQuery: stats.StatsFunnelBody,
  Funnel: stats.StatsFunnelAnswer,
  RetentionQuery: stats.StatsRetentionBody,
  Retention: stats.StatsRetentionAnswer,
  PathsQuery: stats.StatsPathsBody,
  Paths: stats.StatsPathsAnswer,
  PropertiesQuery: stats.StatsPropertiesBody,
  Properties: stats.StatsPropertiesAnswer,
  StatsSource: stats.StatsSourceAnswer,
  LiveVisitors: stats.StatsLiveAnswer,

  McpMessage,
  McpAnswer,

  Workspace: workspace.Organization,
  WorkspaceList: workspace.OrganizationList,
  CreateWorkspace: workspace.CreateOrganizationBody,
  WorkspaceId: workspace.OrganizationBody,
  Permissions: workspace.Permissions,
  Member: workspace.Member,
  MemberList: workspace.MemberList,
  AddMember: workspace.AddMemberBody,
  UpdateMember: workspace.UpdateMemberBody,
  RemovedMember: workspace.RemovedMember,
  Token: workspace.Token,
  TokenList: workspace.TokenList,
  CreateToken: workspace.CreateTokenBody,
  CreatedToken: workspace.CreatedToken,
  RevokedToken: workspace.RevokedToken,
  SignIn: workspace.SignInBody,
  SignOut: workspace.SignOut,
  AuditEntry: workspace.AuditEntry,
  AuditList: workspace.AuditList,
  Erase: EraseBody,
  Erasure,
  Onboarding: workspace.Onboarding,
  CompleteOnboarding: workspace.CompleteOnboardingBody,
  Usage: workspace.Usage,
  Billing: workspace.Billing,
  Support: workspace.Support,

  Health: workspace.Health,
  Readiness: workspace.Readiness,
} as const satisfies Record<string, TSchema>;
export type ComponentName = keyof typeof COMPONENTS;
