/**
 * The schemas that the OpenAPI document names, each once in `components/schemas`. Wherever one of them is part of another
 * schema, the document refers to it. Generated clients have a type of the same name.
 */
import type { TSchema } from "typebox";
import * as account from "../account.ts";
import {
  Ga4Payload,
  PlausibleEvent,
  RudderConfig,
  SegmentAnswer,
  SegmentCall,
  SegmentMetricsAnswer,
  SegmentSettings,
  UmamiAnswer,
} from "../compat.ts";
import * as debug from "../debug.ts";
import { CatalogEvent, EventCatalog } from "../event-catalog.ts";
import * as ingest from "../ingest.ts";
import { InstallPayload } from "../install.ts";
import { McpAnswer, McpMessage } from "../mcp.ts";
import { DeliveryDay, DeliveryStatement, OpenAlert, OpenAlerts } from "../operations/delivery-schemas.ts";
import * as passkeys from "../operations/passkey-schemas.ts";
import {
  KeptEventList,
  PropertyEdit,
  Quarantine,
  Replay,
  ReplayBody,
  ReplayList,
  ReplayTest,
} from "../operations/quarantine-schemas.ts";
import {
  CreateReportBody,
  DeletedReport,
  ReportList,
  ReportPreview,
  StatsReport,
} from "../operations/report-schemas.ts";
import { StatsVisitsAnswer, StatsVisitsBody } from "../operations/visits-schemas.ts";
import {
  PlannedEvent,
  PlanProposal,
  PlanVersion,
  PlanVersionList,
  SavePlanBody,
  TrackingPlan,
} from "../plan.ts";
import { CreateSavedItemBody, DeletedSavedItem, SavedItem, SavedItemList } from "../saved-items.ts";
import { Time } from "../shapes.ts";
import { ChannelRule, Goal, GoalInput, PathRulesInput, Privacy, SourceLimits } from "../source-fields.ts";
import * as sources from "../sources.ts";
import * as stats from "../stats.ts";
import { Accuracy, AccuracyChoice } from "../stats-accuracy.ts";
import { StatsGoal } from "../stats-goal.ts";
import { DateRange } from "../stats-range.ts";
import { ListedEvent, StoredEvents } from "../stored-events.ts";
import {
  InstallCheck,
  PageReport,
  PageSnippet,
  TestInstallBody,
  Verification,
  VerifyBody,
} from "../verify.ts";
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
  SegmentCall,
  SegmentAnswer,
  SegmentSettings,
  SegmentMetricsAnswer,
  RudderConfig,
  PlausibleEvent,
  UmamiAnswer,
  Ga4Payload,

  Source: sources.Source,
  SourceList: sources.SourceList,
  Goal,
  GoalInput,
  PathRulesInput,
  ChannelRule,
  Privacy,
  SourceLimits,
  CreateSource: sources.CreateSourceBody,
  UpdateSource: sources.UpdateSourceBody,
  DeletedSource: sources.DeletedSource,
  RegenerateKey: sources.RegenerateKeyBody,
  RestoreKey: sources.RestoreKeyBody,

  EventCatalog,
  CatalogEvent,
  TrackingPlan,
  PlannedEvent,
  PlanVersion,
  PlanVersionList,
  PlanProposal,
  SavePlan: SavePlanBody,

  CreateSavedItem: CreateSavedItemBody,
  SavedItem,
  SavedItemList,
  DeletedSavedItem,

  CreateReport: CreateReportBody,
  Report: StatsReport,
  ReportList,
  DeletedReport,
  ReportPreview,

  Install: InstallPayload,
  VerifyInstall: VerifyBody,
  TestInstall: TestInstallBody,
  PageReport,
  PageSnippet,
  Verification,
  InstallCheck,

  DebugView: debug.DebugData,
  Attempt: debug.DebugAttempt,
  AppliedLimits: sources.AppliedLimits,
  DailyQuota: sources.DailyQuota,
  SourceHealth: debug.SourceHealth,
  DeliveryStatement,
  DeliveryDay,
  OpenAlerts,
  OpenAlert,
  Quarantine,
  KeptEventList,
  PropertyEdit,
  ReplayKeptEvents: ReplayBody,
  ReplayTest,
  Replay,
  ReplayList,

  StatsQuery: stats.StatsQueryBody,
  StatsResult: stats.StatsAnswer,
  StatsRow: stats.StatsRow,
  StatsTotal: stats.StatsTotal,
  Metric: stats.StatsMetric,
  Dimension: stats.StatsDimension,
  Filter: stats.StatsFilter,
  StatsGoal,
  StatsAccuracy: Accuracy,
  StatsAccuracyChoice: AccuracyChoice,
  DateRange,
  FunnelQuery: stats.StatsFunnelBody,
  Funnel: stats.StatsFunnelAnswer,
  RetentionQuery: stats.StatsRetentionBody,
  Retention: stats.StatsRetentionAnswer,
  PathsQuery: stats.StatsPathsBody,
  Paths: stats.StatsPathsAnswer,
  VisitsQuery: StatsVisitsBody,
  Visits: StatsVisitsAnswer,
  PropertiesQuery: stats.StatsPropertiesBody,
  Properties: stats.StatsPropertiesAnswer,
  StatsSource: stats.StatsSourceAnswer,
  LiveVisitors: stats.StatsLiveAnswer,
  HostSplit: stats.StatsHostSplitAnswer,
  ListedEvent,
  StoredEvents,
  UnlockStats: stats.StatsUnlockBody,
  UnlockedStats: stats.StatsUnlockAnswer,

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
  Profile: account.Profile,
  CallerProfile: account.CallerProfile,
  UpdateProfile: account.UpdateProfileBody,
  EmailAddress: account.EmailBody,
  ConfirmEmail: account.ConfirmEmailBody,
  RestoredEmail: account.RestoredEmail,
  ConsoleSession: account.ConsoleSession,
  ConsoleSessionList: account.ConsoleSessionList,
  EndedSession: account.EndedSession,
  Invitation: account.Invitation,
  InvitationList: account.InvitationList,
  CreateInvitation: account.CreateInvitationBody,
  CreatedInvitation: account.CreatedInvitation,
  RevokedInvitation: account.RevokedInvitation,
  InvitationCode: account.InvitationCodeBody,
  OfferedInvitation: account.OfferedInvitation,
  AcceptInvitation: account.AcceptInvitationBody,
  AcceptedInvitation: account.AcceptedInvitation,
  JoinedWorkspace: account.JoinedWorkspace,
  SignInOffer: account.SignInOffer,
  SignInMethods: account.SignInMethods,
  RememberedSignIn: account.RememberedSignIn,
  RememberedBody: account.RememberedBody,
  RefreshedToken: account.RefreshedToken,
  ForgottenSignIn: account.ForgottenSignIn,
  SignInLinkRequested: account.SignInLinkRequested,
  Passkey: passkeys.Passkey,
  PasskeyList: passkeys.PasskeyList,
  PasskeyOptions: passkeys.PasskeyOptions,
  AddPasskey: passkeys.AddPasskeyBody,
  RemovedPasskey: passkeys.RemovedPasskey,
  PasskeySignIn: passkeys.PasskeySignInBody,
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
