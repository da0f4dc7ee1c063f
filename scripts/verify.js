// `npm run verify`: installs what the tests need beyond npm, saying so first, then checks types, style and behaviour.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Debian's package, the program it brings, and what does not run without it. */
const TOOLS = [
  { name: "chromium", program: "/usr/bin/chromium", use: "the tests in a browser" },
  { name: "firefox-esr", program: "/usr/bin/firefox-esr", use: "the test of the client in Firefox" },
  { name: "curl", program: "curl", use: "the tests of the command line" },
  { name: "nginx", program: "/usr/sbin/nginx", use: "the tests of proxies" },
  { name: "caddy", program: "/usr/bin/caddy", use: "the tests of proxies" },
  { name: "wrk", program: "wrk", use: "the load tests" },
  { name: "openssl", program: "openssl", use: "the tests of proxies, which make a certificate" },
  { name: "systemd", program: "/usr/bin/systemd-analyze", use: "the check of the unit in deploy/" },
  {
    name: "postgresql",
    program: "/usr/lib/postgresql",
    use: "the tests of the ledger on PostgreSQL, which start a server of their own",
  },
  {
    name: "pgbouncer",
    program: "/usr/sbin/pgbouncer",
    use: "the test of the ledger behind a connection pooler",
  },
];

function isPresent(program) {
  if (program.startsWith("/")) return existsSync(program);
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** Answers whether it went well. */
function run(command, ...words) {
  const { status, error } = spawnSync(command, words, { stdio: "inherit" });
  if (error) console.error(`${command} cannot be started (${error.code}).`);
  return status === 0;
}

function install(missing) {
  const names = missing.map(({ name }) => name);
  console.log(
    `Installing Debian's packages that the tests need: ${names.join(", ")} (with apt-get, as root).`,
  );
  process.env.DEBIAN_FRONTEND = "noninteractive";
  if (!run("apt-get", "update"))
    console.error("apt-get update failed; what is known of packages may be old.");
  // one by one, so that one that cannot be had does not keep the others away
  for (const name of names) run("apt-get", "install", "--yes", "--no-install-recommends", name);
}

const missing = TOOLS.filter(({ program }) => !isPresent(program));
const mayInstall = process.getuid?.() === 0 && isPresent("apt-get");
if (missing.length > 0 && mayInstall) install(missing);
for (const { name, program, use } of missing) {
  if (isPresent(program)) continue;
  const how = mayInstall ? "it could not be installed" : "that needs root and apt-get";
  console.log(`Missing: ${name}, for ${use}; ${how}. Install it by hand: apt-get install ${name}`);
}
if (missing.length === 0) console.log(`Present: ${TOOLS.map(({ name }) => name).join(", ")}.`);

const isWell = run("npm", "run", "types") && run("npm", "run", "lint") && run("npm", "test", "--", "--apps");
process.exitCode = isWell ? 0 : 1;
