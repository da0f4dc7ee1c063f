/** The mails about accounts. */
import type { Role } from "@headwater/contract";
import { renderLinkMail } from "../mail/link-mail.ts";
import { toMailName } from "../mail/mail-text.ts";
import type { Mail } from "../mail/mailer.ts";

export const signInMail = (to: string, url: string): Mail =>
  renderLinkMail({
    to,
    subject: "Your sign-in link",
    paragraphs: ["Open this link to sign in to Headwater."],
    button: "Sign in",
    url,
    note: "The link works once, within 10 minutes. If you did not ask for it, ignore this email.",
  });

export const confirmationMail = (to: string, url: string): Mail =>
  renderLinkMail({
    to,
    subject: "Confirm your email address",
    paragraphs: ["Open this link in the browser in which you are signed in to Headwater."],
    button: "Confirm address",
    url,
    note: "The link works once, within an hour. If you did not ask for it, ignore this email.",
  });

interface AddressChangedMail {
  /** The previous address. */
  readonly to: string;
  readonly newAddress: string;
  readonly url: string;
}

export const addressChangedMail = ({ to, newAddress, url }: AddressChangedMail): Mail =>
  renderLinkMail({
    to,
    subject: "Your email address was changed",
    paragraphs: [
      `The email address of your Headwater account is now ${newAddress}.`,
      "If you changed it, you need not do anything. If you did not, undo the change. Your account then gets this address back, and all browsers are signed out.",
    ],
    button: "Undo the change",
    url,
    note: "The link works once, within 7 days.",
  });

interface InvitationMail {
  readonly to: string;
  readonly url: string;
  readonly organizationName: string;
  readonly inviterName: string | null;
  readonly role: Role;
}

const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  viewer: "see sources and their stats",
  developer: "see stats, change sources, and debug and export their events",
  admin: "do everything except manage owners",
  owner: "do everything",
};

export const invitationMail = ({ to, url, organizationName, inviterName, role }: InvitationMail): Mail =>
  renderLinkMail({
    to,
    subject: `Invitation to join ${toMailName(organizationName)} on Headwater`,
    paragraphs: [
      `${toMailName(inviterName ?? "A member")} invites you to the workspace ${toMailName(organizationName)} on Headwater.`,
      `As ${role} you can ${ROLE_TEXTS[role]}.`,
    ],
    button: "Accept invitation",
    url,
    note: "The link works once, within 7 days. If you do not know the sender, ignore this email.",
  });
