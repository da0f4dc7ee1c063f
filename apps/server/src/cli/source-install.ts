/** `headwater source install`: what to paste into the application. */
import type { InstallPayload } from "@headwater/contract";
import { defineCommand } from "citty";
import { type Config, localUrl } from "../config/config.ts";
import { sitePath } from "../config/values.ts";
import { Refusal } from "../core/refusal.ts";
import { installPayload } from "../install/install.ts";
import { JSON_FLAG } from "./arguments.ts";
import { CommandFailed, UsageError } from "./failure.ts";
import { withLedger } from "./operator.ts";
import type { Report } from "./report.ts";

const EXAMPLES = {
  html: ({ browserSnippet }) => browserSnippet,
  react: ({ reactExample }) => reactExample,
  nextjs: ({ nextjsExample }) => nextjsExample,
  vue: ({ snippets }) => snippets.vue,
  nuxt: ({ snippets }) => snippets.nuxt,
  svelte: ({ snippets }) => snippets.svelte,
  astro: ({ snippets }) => snippets.astro,
  curl: ({ snippets }) => snippets.curl,
} as const satisfies Record<string, (payload: InstallPayload) => string>;

/** What serves the application's site, for a path of it. */
const PROXIES = ["nextjs", "nginx", "caddy", "cloudflare"] as const;

/** Only a running service knows which free port it has got. */
function baseUrlOf({ BASE_URL, HOST, PORT }: Config): string {
  if (BASE_URL !== null) return BASE_URL;
  if (PORT !== 0) return localUrl(HOST, PORT);
  throw new CommandFailed("With PORT 0 the address of the service is not known: set BASE_URL.");
}

function readPath(text: string): string | null {
  try {
    return sitePath(text);
  } catch (error) {
    throw new UsageError(`--path cannot be ${JSON.stringify(text)}: it ${(error as Error).message}.`);
  }
}

/** Of the snippets the browser's own has a variant for a path; it is what goes into the pages behind the proxy. */
function textOf(
  payload: InstallPayload,
  framework: string,
  proxy: string | undefined,
  hasPath: boolean,
): string {
  if (proxy !== undefined) return payload.proxy[proxy as (typeof PROXIES)[number]];
  if (hasPath && framework === "html") return payload.proxy.browserSnippet;
  return EXAMPLES[framework as keyof typeof EXAMPLES](payload);
}

export const installSource = defineCommand({
  meta: { description: "What to paste into the application" },
  args: {
    id: { type: "positional", required: true, description: "The source's id, src_…" },
    framework: {
      type: "enum",
      options: Object.keys(EXAMPLES),
      default: "html",
      description: "Which example",
    },
    proxy: {
      type: "enum",
      options: [...PROXIES],
      description: "The rules for a proxy instead, which bring the service under --path of your own site",
    },
    path: {
      type: "string",
      description:
        "A path of your own site, for --proxy and for the html snippet behind it; default: INGEST_ALIAS, else /hw",
    },
    ...JSON_FLAG,
  },
  run: ({ args }) => {
    const path = args.path === undefined ? null : readPath(args.path);
    return withLedger(async ({ config, ledger, now }): Promise<Report> => {
      const source = await ledger.source({ sourceId: args.id, now });
      if (!source) throw new Refusal("source_not_found");
      const baseUrl = baseUrlOf(config);
      const addresses = { baseUrl, appUrl: config.APP_URL ?? baseUrl, alias: config.INGEST_ALIAS };
      const payload = installPayload(source, addresses, path);
      const text = textOf(payload, args.framework, args.proxy, path !== null);
      const local = `It sends to ${baseUrl}, because BASE_URL is not set: set it to the address that visitors reach.`;
      return { json: payload, text, ...(config.BASE_URL === null ? { note: local } : {}) };
    });
  },
});
