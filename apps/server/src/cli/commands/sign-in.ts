/** `headwater sign-in`: a link that opens the console. */
import { makeSignInCode } from "../../access/first-start.ts";
import { toIsoTime } from "../../core/time.ts";
import { defineCommand, ORGANIZATION_OPTION, text } from "../command.ts";
import { findOwner, findPerson } from "../find-named.ts";
import { withWorkspace } from "../ledger-access.ts";
import { publicAddresses } from "../service-address.ts";

export const signIn = defineCommand({
  description: "Print a link that signs in to the console",
  details: [
    "The link works once, within 10 minutes. The sign-in lasts for CONSOLE_TOKEN_DAYS, or until you sign out.",
  ],
  options: {
    user: text("id|name|email", "The member who signs in (default: the owner of the workspace)"),
    ...ORGANIZATION_OPTION,
  },
  run: ({ organization, user }) =>
    withWorkspace(organization, async (access) => {
      const { ledger, config, now } = access;
      const { userId } =
        user === undefined ? { userId: await findOwner(access) } : await findPerson(access, user);
      const { appUrl } = publicAddresses(config);
      const { code, ...stored } = makeSignInCode(now);
      await ledger.createSignInCode({ ...stored, userId, now });
      const url = `${appUrl}/sign-in#code=${code}`;
      const isLocal = config.APP_URL === null && config.BASE_URL === null;
      const note = [
        `The link signs ${user ?? "the owner of the workspace"} in. It works once, within 10 minutes.`,
        ...(isLocal
          ? [
              `It leads to ${appUrl} because BASE_URL is not set. If the service has other settings, run this command with them.`,
            ]
          : []),
      ].join(" ");
      return { json: { url, userId, expiresAt: toIsoTime(stored.expiresAt) }, text: url, note };
    }),
});
