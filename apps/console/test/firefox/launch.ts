/**
 * Debian's Firefox, driven by Playwright over WebDriver BiDi. Text is typed with `pressSequentially`: React does not notice a `fill`
 * there.
 */
import { type Browser, firefox } from "playwright-core";
import { PREFERENCES } from "../../../../packages/sdk/test/firefox.ts";

const program = "/usr/bin/firefox-esr";
const START_MS = 60_000;
/** A command of a later Firefox, which Playwright sends for every new context. */
const UNKNOWN_COMMAND = "emulation.setMediaFeaturesOverride";

type SendCommand = (method: string, params: unknown) => Promise<unknown>;
/** Playwright's own object behind a browser. It has no public way to leave out a command. */
interface Internals {
  readonly _connection: {
    toImpl(browser: Browser): { readonly _browserSession: { send: SendCommand } };
  };
}

export async function launchFirefox(): Promise<Browser> {
  const browser = await firefox.launch({
    channel: "moz-firefox",
    executablePath: program,
    timeout: START_MS,
    env: { ...process.env, MOZ_DISABLE_CONTENT_SANDBOX: "1" },
    firefoxUserPrefs: {
      ...PREFERENCES,
      // pages of the test read the clipboard without a question
      "dom.events.testing.asyncClipboard": true,
      // painted without a graphics card
      "layout.frame_rate": 20,
      "ui.prefersReducedMotion": 1,
    },
  });
  const session = (browser as unknown as Internals)._connection.toImpl(browser)._browserSession;
  const send = session.send.bind(session);
  session.send = async (method, params) => (method === UNKNOWN_COMMAND ? {} : send(method, params));
  return browser;
}
