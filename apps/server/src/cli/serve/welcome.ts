/** The text that `serve` prints when it has started. */
import { HEADWATER } from "../../core/command-name.ts";
import type { RunningServer } from "../../server.ts";

type StartedService = Pick<RunningServer, "url" | "signInUrl" | "firstStart">;

/** An operator who has set OWNER_TOKEN gets a sign-in page without a code. */
function firstSignIn(signInUrl: string): string {
  if (!signInUrl.includes("#"))
    return `1. Sign in at ${signInUrl} with the owner's token, the value of OWNER_TOKEN.`;
  return `1. Sign in with this link. It works once, within 10 minutes:

   ${signInUrl}
`;
}

/** One block for a person: the address, how to sign in, and what to do next. */
export function welcome({ url, signInUrl, firstStart }: StartedService): string {
  const steps = firstStart
    ? `${firstSignIn(firstStart.signInUrl)}
2. Create a source in the console. It shows the snippet for your pages, and the first event when it arrives.`
    : `Sign in at ${signInUrl}`;
  return `
Headwater is listening on ${url}

${steps}

Run other commands in a second terminal, in the same folder and with the same settings:

   ${HEADWATER} sign-in                  prints another sign-in link
   ${HEADWATER} token create --owner     prints an access token for programs
   ${HEADWATER} --help                   lists all commands

Ctrl-C stops the service.
`;
}
