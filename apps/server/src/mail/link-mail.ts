/** A mail that asks to open a link, as text and HTML. */
import { escapeHtml } from "../http/escape-html.ts";
import type { Mail } from "./mailer.ts";

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

export function renderLinkMail({ to, subject, paragraphs, button, url, note }: LinkMail): Mail {
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
