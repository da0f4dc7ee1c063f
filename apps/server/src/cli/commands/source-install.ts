/** `headwater source install`: what to paste into the application. */
import {
  INSTALL_EXAMPLES,
  INSTALL_FRAMEWORKS,
  type InstallFramework,
  type InstallPayload,
} from "@headwater/contract";
import { sitePath } from "../../config/values.ts";
import { messageOf } from "../../core/errors.ts";
import { installPayload } from "../../install/install.ts";
import { choice, defineCommand, ORGANIZATION_OPTION, parsed, SOURCE, withDefault } from "../command.ts";
import { UsageError } from "../errors.ts";
import { findSource } from "../find-named.ts";
import { withWorkspace } from "../ledger-access.ts";
import { publicAddresses } from "../service-address.ts";

function parsePath(given: string): string | null {
  try {
    return sitePath(given);
  } catch (error) {
    throw new UsageError(`--path cannot be ${JSON.stringify(given)}: it ${messageOf(error)}.`);
  }
}

interface TextChoice {
  readonly framework: InstallFramework;
  readonly proxy: keyof InstallPayload["proxy"] | undefined;
  readonly path: string | null | undefined;
}

function chooseText(payload: InstallPayload, { framework, proxy, path }: TextChoice): string {
  if (proxy !== undefined) return payload.proxy[proxy];
  // only the HTML snippet has a variant for pages behind the proxy
  const isBehindProxy = typeof path === "string" && framework === "html";
  return isBehindProxy ? payload.proxy.browserSnippet : INSTALL_EXAMPLES[framework](payload);
}

export const installSource = defineCommand({
  description: "Print what to paste into the application",
  positionals: SOURCE,
  options: {
    ...ORGANIZATION_OPTION,
    framework: withDefault(choice(INSTALL_FRAMEWORKS, "The example to print"), "html"),
    proxy: choice(
      ["nextjs", "nginx", "caddy", "cloudflare"],
      "Print proxy rules instead, which serve Headwater under --path of your own site",
    ),
    path: parsed(
      "path",
      "Path of your own site: for --proxy, and for an html snippet that uses the proxy (default: INGEST_ALIAS, or /hw)",
      parsePath,
    ),
  },
  run: ({ source: given, organization, framework, proxy, path }) =>
    withWorkspace(organization, async (access) => {
      const { config } = access;
      const source = await findSource(access, given);
      const addresses = publicAddresses(config);
      const payload = installPayload(source, addresses, path ?? null);
      const text = chooseText(payload, { framework, proxy, path });
      const note = `The snippet sends to ${addresses.baseUrl} because BASE_URL is not set. Set BASE_URL to the address that visitors reach.`;
      return { json: payload, text, ...(config.BASE_URL === null ? { note } : {}) };
    }),
});
