/** Accounts of people: profile, invitations, sign-in and sessions (docs/api/accounts.md). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { CLOCKS, LOCALES, NUMBER_FORMATS, THEMES, WEEK_STARTS } from "./preferences.ts";
import { ROLES } from "./roles.ts";
import {
  Closed,
  flag,
  id,
  Nullable,
  OneOf,
  OrganizationId,
  text,
  textOrNull,
  time,
  timeOrNull,
} from "./shapes.ts";

export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  format: "email",
  pattern: '^[^\\s@,;<>"]+@[^\\s@,;<>"]+$',
  description: "an email address, such as name@example.com",
});
const personName = (description: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.maxNameLength, description });
const invitedRole = (description: string) => OneOf(ROLES, { description });

const theme = OneOf(THEMES, { description: "The colours of the console; `auto`: those of the system." });
const locale = OneOf(LOCALES, {
  description:
    "The locale in which the console writes dates, times and numbers; `auto`: the browser's. The console's text is always English.",
});
const numberFormat = OneOf(NUMBER_FORMATS, {
  description: "How the console writes numbers; `auto`: as in `locale`.",
});
const clock = OneOf(CLOCKS, {
  description: "Whether times use the 12-hour or the 24-hour clock; `auto`: as in `locale`.",
});
const weekStart = OneOf(WEEK_STARTS, {
  description:
    "The first day of the week in calendars; `auto`: as in `locale`. Stats by week start on Monday.",
});

export const Profile = Closed({
  userId: text("Your user id."),
  name: textOrNull("Your name. Members of your workspaces can see it."),
  email: textOrNull("Your confirmed email address, with which you can sign in; null: none."),
  theme,
  locale,
  numberFormat,
  clock,
  weekStart,
});
export type Profile = Static<typeof Profile>;
export const CallerProfile = Closed({
  ...Profile.properties,
  clientAddress: text("The IP address that this request came from."),
});
export type CallerProfile = Static<typeof CallerProfile>;
export const UpdateProfileBody = Closed({
  name: Type.Optional(Nullable(personName("Your name."))),
  theme: Type.Optional(theme),
  locale: Type.Optional(locale),
  numberFormat: Type.Optional(numberFormat),
  clock: Type.Optional(clock),
  weekStart: Type.Optional(weekStart),
});
export const EmailBody = Closed({ email: Email });
export const ConfirmEmailBody = Closed({ code: id("The code in the link of the email.") });

export const RestoredEmail = Closed({
  email: textOrNull("The address of the account; null: another user has the previous one now."),
});

export const Invitation = Closed({
  invitationId: text("The id of the invitation."),
  organizationId: text("The id of the workspace."),
  role: invitedRole("The role that the invited person gets."),
  email: textOrNull("The address that the invitation was sent to; null: it is a link."),
  invitedBy: text("The id of the user who created it."),
  createdAt: time("When it was created."),
  expiresAt: time("When it expires."),
});
export type Invitation = Static<typeof Invitation>;
export const InvitationList = Closed({
  invitations: Type.Array(Invitation, { description: "The invitations that can be accepted, newest first." }),
});
export const CreateInvitationBody = Closed({
  organizationId: OrganizationId,
  role: invitedRole("The role that the invited person gets. It cannot be above your own."),
  email: Type.Optional(
    Nullable(Type.String({ ...Email, description: "an email address, to which the link is sent" })),
  ),
});
export const CreatedInvitation = Closed({
  ...Invitation.properties,
  url: textOrNull("The link to give to the person, shown only here; null: it was sent by email."),
});
export const RevokedInvitation = Closed({
  invitationId: text("The id of the invitation."),
  revokedAt: time("When it was revoked."),
});
export const InvitationCodeBody = Closed({ code: id("The code in the link of the invitation.") });
const offer = {
  organizationName: text("The name of the workspace."),
  role: invitedRole("The role that you get."),
  invitedBy: textOrNull("The name of the member who invites you; null: they gave none."),
};
export const OfferedInvitation = Closed({
  ...offer,
  email: textOrNull("The address that the link was sent to. A new account signs in with it; null: none."),
  account: Nullable(
    Closed(
      {
        name: textOrNull("The name of the account."),
        email: textOrNull("The confirmed address of the account."),
      },
      {
        description:
          "The account that accepts the invitation, because it has the address that the link was sent to; null: a new one.",
      },
    ),
  ),
  expiresAt: time("When the invitation expires."),
});
export const AcceptInvitationBody = Closed({
  code: id("The code in the link of the invitation."),
  name: personName("Your name. Other members can see it."),
});
export const AcceptedInvitation = Closed({
  organizationId: text("The workspace that you are a member of now."),
  signInCode: text("A one-time code for POST /api/sign-in, valid for 10 minutes."),
});
export const JoinedWorkspace = Closed({
  organizationId: text("The workspace that you are a member of now."),
});

export const SignInOffer = Closed({
  userId: text("The id of the user who would be signed in."),
  name: textOrNull("The account's name, or the one at the identity provider."),
  email: textOrNull("The account's confirmed address, or the one at the identity provider."),
  organizations: Type.Array(
    Closed({ name: text("The name of the workspace."), role: invitedRole("The role of the user.") }),
    { description: "The workspaces of the user. Empty for a new account." },
  ),
  invitation: Nullable(
    Closed(offer, { description: "The invitation that the sign-in accepts; null: none." }),
  ),
  expiresAt: time("When the code expires."),
});

const rememberedId = "The id of the sign-in that the browser remembers.";
export const RememberedSignIn = Closed({
  rememberedId: text(rememberedId),
  expiresAt: time("When the console asks you to sign in again."),
});
export const RememberedBody = Closed({ rememberedId: id(rememberedId) });
export const RefreshedToken = Closed({
  token: text("The token, for the Authorization header."),
  expiresInSeconds: Type.Integer({ minimum: 0, description: "Seconds until the token expires." }),
});
export const ForgottenSignIn = Closed({ rememberedId: text(rememberedId) });

export const SignInMethods = Closed({
  oidc: textOrNull("The name of the identity provider; null: there is none."),
  mail: flag("Sign-in links can be sent by email."),
  passkey: flag("Somebody has a passkey for this service."),
  token: flag(
    "You can sign in with an access token, and accept an invitation with a new account without the identity provider.",
  ),
  sendsMail: flag("The service has a mail server, so it can send invitations and address confirmations."),
});
export const SignInLinkRequested = Closed({
  requested: Type.Literal(true, {
    description:
      "If an account has this address, a link was sent. The response is the same if there is none.",
  }),
});

export const ConsoleSession = Closed({
  tokenId: text("The id of the session's token."),
  label: text("The browser and system that signed in, such as `Chrome on macOS`. `Console` if unknown."),
  isCurrent: flag("The session of this request."),
  createdAt: time("When you signed in."),
  lastUsedAt: timeOrNull("When it was last used; null: not yet."),
  expiresAt: time(
    "When it ends if it is not used again. Each use moves this time, at most to `CONSOLE_TOKEN_DAYS` after the sign-in.",
  ),
});
export const ConsoleSessionList = Closed({
  sessions: Type.Array(ConsoleSession, { description: "Your console sessions, newest first." }),
});
export const EndedSession = Closed({
  tokenId: text("The id of the session's token."),
  endedAt: time("When it was ended."),
});
