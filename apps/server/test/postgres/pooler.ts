/** PgBouncer (Debian), in front of the tests' own cluster. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/until.ts";
import { query, unprivileged } from "./cluster.ts";

const PGBOUNCER = "/usr/sbin/pgbouncer";
const PORT = 6432;

/** null: it can be started; else why not. */
export const whyNoPooler = (): string | null =>
  existsSync(PGBOUNCER) ? null : `there is no ${PGBOUNCER}; \`npm run verify\` installs it`;

export interface Pooler extends AsyncDisposable {
  /** The URL of the same database through the pooler. */
  url: string;
}

/** @param settings of its `[pgbouncer]` section */
export async function startPooler(url: string, settings: Record<string, string> = {}): Promise<Pooler> {
  const [, folder, database] = /@([^/]+)\/(.+)$/.exec(url)!;
  const own = mkdtempSync(join(tmpdir(), "headwater-pooler-"));
  const at = (name: string) => join(own, name);
  writeFileSync(at("users"), '"postgres" ""\n');
  writeFileSync(
    at("pgbouncer.ini"),
    `[databases]
* = host=${decodeURIComponent(folder!)} port=5432
[pgbouncer]
auth_type = trust
auth_file = ${at("users")}
unix_socket_dir = ${own}
listen_port = ${PORT}
max_client_conn = 100
${Object.entries({ pool_mode: "session", default_pool_size: "40", ...settings })
  .map(([name, value]) => `${name} = ${value}`)
  .join("\n")}
`,
  );
  const owner = unprivileged();
  if (owner)
    for (const path of [own, at("users"), at("pgbouncer.ini")]) chownSync(path, owner.uid, owner.gid);
  const child = spawn(PGBOUNCER, ["--quiet", at("pgbouncer.ini")], { ...owner, cwd: own, stdio: "ignore" });
  const ended = once(child, "exit");
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const pooled = `postgres://postgres@${encodeURIComponent(own)}:${PORT}/${database}`;
  const answers = () =>
    query(pooled, "select").then(
      () => true,
      () => false,
    );
  await until("the pooler lets somebody in", answers);
  return {
    url: pooled,
    [Symbol.asyncDispose]: async () => {
      kill();
      await ended;
      process.off("exit", kill);
      rmSync(own, { recursive: true, force: true });
    },
  };
}
