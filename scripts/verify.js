// `npm run verify`: installs the npm and Debian packages that the tests need, then checks types and style and runs the tests.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installMissingPackages } from "./packages.js";

/** A Debian package, a program in it, and what needs the program. */
const TOOLS = [
  { name: "chromium", program: "/usr/bin/chromium", use: "the tests in a browser" },
  {
    name: "chromium-headless-shell",
    program: "/usr/bin/chromium-headless-shell",
    use: "the tests in a browser, which otherwise need a third more CPU time",
  },
  { name: "firefox-esr", program: "/usr/bin/firefox-esr", use: "the test of the browser client in Firefox" },
  {
    name: "webkit2gtk-driver",
    program: "/usr/bin/WebKitWebDriver",
    use: "the test of the browser client in WebKit",
  },
  { name: "xvfb", program: "/usr/bin/Xvfb", use: "the test in WebKit, which has no mode without a display" },
  { name: "curl", program: "curl", use: "the tests of the command line" },
  { name: "nginx", program: "/usr/sbin/nginx", use: "the tests of proxies" },
  { name: "caddy", program: "/usr/bin/caddy", use: "the tests of proxies" },
  { name: "wrk", program: "wrk", use: "the load tests" },
  { name: "openssl", program: "openssl", use: "the tests of proxies, which create a certificate" },
  { name: "systemd", program: "/usr/bin/systemd-analyze", use: "the tests of the systemd unit in deploy/" },
  {
    name: "perl",
    program: "/usr/bin/h2ph",
    use: "the test of the systemd unit, which needs the numbers of system calls",
  },
  {
    name: "prometheus",
    program: "/usr/bin/promtool",
    use: "the tests of the metrics and of the alert rules",
  },
  {
    name: "postgresql",
    program: "/usr/lib/postgresql",
    use: "the tests of the ledger on PostgreSQL, which start their own server",
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

/** Returns whether the command succeeded. */
function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  if (error) console.error(`${command} could not be started (${error.code}).`);
  return status === 0;
}

function install(missing) {
  const names = missing.map(({ name }) => name);
  console.log(`Installing the Debian packages that the tests need: ${names.join(", ")} (apt-get, as root).`);
  process.env.DEBIAN_FRONTEND = "noninteractive";
  if (!run("apt-get", "update"))
    console.error("apt-get update failed; the package lists may be out of date.");
  // one by one, so that a missing package does not prevent the others
  for (const name of names) run("apt-get", "install", "--yes", "--no-install-recommends", name);
}

installMissingPackages({ withDevelopment: true });
const missing = TOOLS.filter(({ program }) => !isPresent(program));
const canInstall = process.getuid?.() === 0 && isPresent("apt-get");
if (missing.length > 0 && canInstall) install(missing);
for (const { name, program, use } of missing) {
  if (isPresent(program)) continue;
  const reason = canInstall ? "apt-get could not install it" : "installing it needs root and apt-get";
  console.log(`Missing: ${name}, needed by ${use}; ${reason}. Run: apt-get install ${name}`);
}
if (missing.length === 0) console.log(`Present: ${TOOLS.map(({ name }) => name).join(", ")}.`);

const hasPassed =
  run("npm", "run", "types") && run("npm", "run", "lint") && run("npm", "test", "--", "--all");
process.exitCode = hasPassed ? 0 : 1;
