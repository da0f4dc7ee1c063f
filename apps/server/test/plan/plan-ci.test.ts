/** The CI job of docs/tracking-plan.md in a fresh clone of a git repository: it fails on a planted mistake, and names the line to fix. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { BIN, folder, headwater } from "../cli/command-line.ts";
import { openVisit } from "../install/visit.ts";
import { OWNER_TOKEN } from "../support/world.ts";

const { world } = await openVisit();

const ORDER = {
  type: "object",
  properties: { price: { type: "number" }, plan: { enum: ["free", "pro"] } },
  required: ["price"],
};
const PLAN = { mode: "warn", unknownEvents: "warn", events: { order: { mode: null, schema: ORDER } } };
const CHECKOUT = `export function pay(client) {
  client.track("order", {
    plan: "pro",
    price: 5,
  });
}
`;
/** The user's test, which writes down what the code sends. */
const RECORD = `import { appendFileSync } from "node:fs";
import { pay } from "../src/checkout.js";
const track = (name, properties) =>
  appendFileSync("recorded.ndjson", JSON.stringify({ type: "track", name, properties }) + "\\n");
pay({ track });
`;

/** The commands of the job, as the guide has them. */
function jobOfGuide(): string {
  const guide = readFileSync(new URL("../../../../docs/tracking-plan.md", import.meta.url), "utf8");
  const [, job = ""] = /A job of GitHub Actions:\n\n```yaml\n(.*?)```/s.exec(guide) ?? [];
  return job.replaceAll(/^- run: /gm, "");
}

interface Ran {
  readonly code: number;
  readonly output: string;
}

function run(cwd: string, command: string, ...words: string[]): Promise<Ran> {
  const noConfig = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: cwd, ...noConfig };
  return new Promise((resolve) => {
    execFile(command, words, { cwd, env }, (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : error ? -1 : 0;
      resolve({ code, output: stdout + stderr });
    });
  });
}

it("The job of the guide passes in a fresh clone, fails on each planted mistake, and names its line", async () => {
  using files = folder();
  const repository = files.at("shop");
  const git = async (...words: string[]) => {
    const who = ["-c", "user.name=Ann", "-c", "user.email=ann@shop.example"];
    const { code, output } = await run(repository, "git", ...who, ...words);
    assert.equal(code, 0, output);
  };
  const write = (name: string, content: string) => {
    mkdirSync(dirname(join(repository, name)), { recursive: true });
    writeFileSync(join(repository, name), content);
  };
  const commit = async (message: string) => {
    await git("add", "--all");
    await git("commit", "--quiet", "--message", message);
  };
  /** What CI does with the last commit. */
  const job = async () => {
    const checkout = files.at("checkout");
    rmSync(checkout, { recursive: true, force: true });
    await git("clone", "--quiet", repository, checkout);
    mkdirSync(join(checkout, "node_modules/.bin"), { recursive: true });
    symlinkSync(BIN, join(checkout, "node_modules/.bin/headwater"));
    return run(checkout, "sh", "-ec", jobOfGuide());
  };

  write("package.json", '{ "type": "module", "scripts": { "test": "node test/record.js" } }\n');
  write("src/checkout.js", CHECKOUT);
  write("test/record.js", RECORD);
  const source = await world.createSource();
  const planPath = `/api/tracking-sources/${source.sourceId}/plan`;
  assert.equal((await world.ask(planPath, { method: "PUT", body: { plan: PLAN } })).status, 200);
  writeFileSync(files.at("token"), OWNER_TOKEN);
  const remote = ["--api", world.url, "--token-file", files.at("token")];
  const dir = ["--dir", join(repository, "tracking-plan")];
  const pulled = await headwater(
    { DATA_DIR: files.at("none") },
    "plan",
    "pull",
    source.sourceId,
    ...remote,
    ...dir,
  );
  assert.equal(pulled.code, 0, pulled.stderr);
  await git("init", "--quiet");
  await commit("The shop, with its tracking plan");
  const passed = await job();
  assert.equal(passed.code, 0, passed.output);
  assert.match(passed.output, /Checked 1 event against 1 planned event: no violations/);

  const mistakes = [
    { file: "src/checkout.js", from: "price: 5", to: "prise: 5", said: /price must be present.*"prise"/ },
    { file: "src/checkout.js", from: "price: 5", to: 'price: "5"', said: /price must be of the type number/ },
    { file: "src/checkout.js", from: 'plan: "pro"', to: 'plan: "por"', said: /plan must be one of/ },
    { file: "tracking-plan/events/order.json", from: '"number"', to: '"numbr"', said: /order\.json:/ },
  ];
  for (const { file, from, to, said } of mistakes) {
    const right = readFileSync(join(repository, file), "utf8");
    write(file, right.replace(from, to));
    await commit(`Plants ${to}`);
    const { code, output } = await job();
    assert.notEqual(code, 0, output);
    assert.match(output, said);
    const line = right.split("\n").findIndex((text) => text.includes(from)) + 1;
    assert.ok(output.includes(`${file}:${line}`), `${file}:${line} is not in\n${output}`);
    await git("revert", "--no-edit", "HEAD");
  }
  assert.equal((await job()).code, 0, "the job passes again");
});
