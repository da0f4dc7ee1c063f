/** `headwater source install`: what to paste into the application. */
import { defineCommand } from "citty";
import { type Config, localUrl } from "../config.ts";
import { type InstallPayload, installPayload } from "../install/install.ts";
import { Refusal } from "../refusal.ts";
import { JSON_FLAG } from "./arguments.ts";
import { CommandFailed } from "./failure.ts";
import { withLedger } from "./operator.ts";
import type { Report } from "./report.ts";

const EXAMPLES = {
  html: "browserSnippet",
  react: "reactExample",
  nextjs: "nextjsExample",
} as const satisfies Record<string, keyof InstallPayload>;

/** Only a running service knows which free port it has got. */
function baseUrlOf({ BASE_URL, HOST, PORT }: Config): string {
  if (BASE_URL !== null) return BASE_URL;
  if (PORT !== 0) return localUrl(HOST, PORT);
  throw new CommandFailed("With PORT 0 the address of the service is not known: set BASE_URL.");
}

export const installSource = defineCommand({
  meta: { description: "What to paste into the application" },
  args: {
    id: { type: "positional", required: true, description: "The source's id, src_…" },
    framework: {
      type: "enum",
      options: ["html", "react", "nextjs"],
      default: "html",
      description: "Which example",
    },
    ...JSON_FLAG,
  },
  run: ({ args }) =>
    withLedger(async ({ config, ledger, now }): Promise<Report> => {
      const source = await ledger.source({ sourceId: args.id, now });
      if (!source) throw new Refusal("source_not_found");
      const baseUrl = baseUrlOf(config);
      const payload = installPayload(source, { baseUrl, appUrl: config.APP_URL ?? baseUrl });
      const text = payload[EXAMPLES[args.framework as keyof typeof EXAMPLES]];
      const local = `It sends to ${baseUrl}, because BASE_URL is not set: set it to the address that visitors reach.`;
      return { json: payload, text, ...(config.BASE_URL === null ? { note: local } : {}) };
    }),
});
