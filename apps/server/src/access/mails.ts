/** The mails about accounts, each as text and HTML with one link. */
import type { Role } from "@headwater/contract";
import { escapeHtml } from "../core/escape-html.ts";
import { toMailName } from "../mail/mail-text.ts";
import type { Mail } from "../mail/mailer.ts";

interface LinkMail {
  readonly to: string;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly button: string;
  readonly url: string;
  readonly note: string;
}

const BODY_STYLE = "font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;max-width:560px";
const BUTTON_STYLE =
  "display:inline-block;padding:10px 18px;border-radius:6px;background:#0b6e8a;color:#fff;text-decoration:none";

function renderMail({ to, subject, paragraphs, button, url, note }: LinkMail): Mail {
  const href = escapeHtml(url);
  const html = [
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    `<p><a href="${href}" style="${BUTTON_STYLE}">${escapeHtml(button)}</a></p>`,
    `<p style="color:#666;font-size:14px">${escapeHtml(note)}<br>${href}</p>`,
  ].join("\n");
  return {
    to,
    subject,
    text: [...paragraphs, `${button}:\n${url}`, note].join("\n\n"),
    html: `<!doctype html><html lang="en"><body style="${BODY_STYLE}">\n${html}\n</body></html>`,
  };
}

export const signInMail = (to: string, url: string): Mail =>
  renderMail({
    to,
    subject: "Your sign-in link",
    paragraphs: ["Open this link to sign in to Headwater."],
    button: "Sign in",
    url,
    note: "The link works once, within 10 minutes. If you did not ask for it, ignore this mail.",
  });

export const confirmationMail = (to: string, url: string): Mail =>
  renderMail({
    to,
    subject: "Confirm your e-mail address",
    paragraphs: ["Open this link in the browser in which you are signed in to Headwater."],
    button: "Confirm address",
    url,
    note: "The link works once, within an hour. If you did not ask for it, ignore this mail.",
  });

interface AddressChangedMail {
  /** The previous address. */
  readonly to: string;
  readonly newAddress: string;
  readonly url: string;
}

export const addressChangedMail = ({ to, newAddress, url }: AddressChangedMail): Mail =>
  renderMail({
    to,
    subject: "Your e-mail address was changed",
    paragraphs: [
      `The e-mail address of your Headwater account is ${newAddress} now.`,
      "If you changed it, there is nothing to do. If you did not, take the change back: your account gets this address again, and everybody is signed out.",
    ],
    button: "Take the change back",
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
  renderMail({
    to,
    subject: `Invitation to ${toMailName(organizationName)} on Headwater`,
    paragraphs: [
      `${toMailName(inviterName ?? "A member")} invites you to the workspace ${toMailName(organizationName)} on Headwater.`,
      `As ${role} you can ${ROLE_TEXTS[role]}.`,
    ],
    button: "Accept invitation",
    url,
    note: "The link works once, within 7 days. If you do not know the sender, ignore this mail.",
  });
