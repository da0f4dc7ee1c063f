/** Replays a Dockerfile without Docker: each stage is a folder, and its commands run in it (chroot). Needs root. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, matchesGlob, resolve } from "node:path";

/** Folders of this machine that every stage sees. */
const SHARED = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/proc", "/dev", homedir()];
const ETC = [
  "ssl",
  "ca-certificates",
  "alternatives",
  "resolv.conf",
  "hosts",
  "nsswitch.conf",
  "ld.so.cache",
];
const USERS = "root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n";

interface Stage {
  root: string;
  workdir: string;
  user: string;
  env: Record<string, string>;
  healthcheck: string[];
  command: string[];
}

interface Instruction {
  word: string;
  rest: string;
}

function parse(text: string): Instruction[] {
  const lines = text
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n/g, " ")
    .split("\n");
  return lines
    .map((line) => /^([A-Z]+) +(.*)$/.exec(line.trim()))
    .filter((match) => match !== null)
    .map(([, word = "", rest = ""]) => ({ word, rest }));
}

/** The files of the repository that .dockerignore lets in: the last pattern that matches a path decides. */
function contextFiles(repository: string): string[] {
  const rules = readFileSync(join(repository, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ isKept: line.startsWith("!"), glob: line.replace(/^!/, "") }));
  const isKept = (path: string) =>
    rules.findLast(({ glob }) => matchesGlob(path, glob) || matchesGlob(path, `${glob}/**`))?.isKept ?? true;
  const exclude = ["**/node_modules", ".git", "**/dist", "**/data"];
  return globSync("**", { cwd: repository, exclude })
    .filter((path) => statSync(join(repository, path)).isFile())
    .filter(isKept);
}

/** Runs a command in the stage. With `isReadOnly` only /data and /tmp can be written. */
function runIn(
  stage: Stage,
  words: readonly string[],
  more: { isReadOnly?: boolean; env?: object } = {},
): ChildProcess {
  const { root, user, workdir } = stage;
  const mounts = SHARED.map(
    (path) => `[ ! -e ${path} ] || { mkdir -p ${root}${path}; mount --rbind ${path} ${root}${path}; }`,
  );
  const readOnly = [
    `mount --bind ${root} ${root}`,
    `mount --bind ${root}/data ${root}/data`,
    `mount -t tmpfs tmpfs ${root}/tmp`,
    `mount -o remount,ro,bind ${root}`,
  ];
  const script = [
    "set -e",
    ...(more.isReadOnly ? readOnly.slice(0, 1) : []),
    ...mounts,
    ...(more.isReadOnly ? readOnly.slice(1) : []),
    `exec chroot --userspec=${user} ${root} /bin/sh -c 'cd ${workdir} && exec "$@"' sh "$@"`,
  ].join("\n");
  const env = { HOME: homedir(), ...stage.env, ...more.env };
  return spawn("unshare", ["--mount", "sh", "-c", script, "sh", ...words], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function finish(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  const code = await new Promise<number | null>((end) => child.once("close", end));
  return { code, output };
}

interface BuiltImage extends Disposable {
  /** Runs the image's command as its user, on a read-only file system. */
  start(env: object): ChildProcess;
  /** Runs the health check. @returns its exit code */
  checkHealth(env: object): Promise<number | null>;
}

/** @param node the folder of the Node that the image's base contains */
export async function buildImage(dockerfile: string, repository: string, node: string): Promise<BuiltImage> {
  const home = mkdtempSync(join(tmpdir(), "headwater-image-"));
  const stages = new Map<string, Stage>();
  const newStage = (from: string, name: string): Stage => {
    const base = stages.get(from);
    const root = join(home, name);
    for (const path of ["etc", "tmp", "data", "node/bin"]) mkdirSync(join(root, path), { recursive: true });
    for (const path of ETC)
      execFileSync("cp", ["-a", `/etc/${path}`, join(root, "etc")], { stdio: "ignore" });
    for (const path of ["passwd", "group"]) writeFileSync(join(root, "etc", path), USERS);
    chmodSync(join(root, "tmp"), 0o1777);
    execFileSync("cp", [join(node, "node"), join(root, "node/bin")]);
    const env = {
      PATH: "/node/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
      npm_config_prefer_offline: "true",
    };
    const empty = { workdir: "/", user: "0:0", env, healthcheck: [], command: [] };
    const made = { ...empty, ...base, env: { ...(base?.env ?? env) }, root };
    mkdirSync(join(root, made.workdir), { recursive: true });
    return made;
  };
  let stage = newStage("", "unused");
  const inStage = (path: string) => join(stage.root, resolve(stage.workdir, path));
  const copy = (rest: string) => {
    const [, from, source = "", target = ""] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(rest) ?? [];
    mkdirSync(inStage(target), { recursive: true });
    if (from !== undefined) {
      // hard links: the copy of a stage is not changed afterwards
      return execFileSync("cp", ["-al", `${stages.get(from)?.root}${source}/.`, inStage(target)]);
    }
    for (const path of contextFiles(repository)) cpSync(join(repository, path), join(inStage(target), path));
  };
  const run = async (rest: string) => {
    const { code, output } = await finish(runIn(stage, ["sh", "-c", rest]));
    assert.equal(code, 0, `RUN ${rest}\n${output}`);
  };
  const setEnv = (rest: string) => {
    for (const [, name = "", value = ""] of rest.matchAll(/(\S+?)=(\S+)/g))
      stage.env[name] = value.replace("$PATH", stage.env.PATH ?? "");
  };
  for (const { word, rest } of parse(readFileSync(dockerfile, "utf8"))) {
    if (word === "FROM") {
      const [, from = "", name = "final"] = /^(\S+)(?: AS (\S+))?/.exec(rest) ?? [];
      stage = newStage(from, name);
      stages.set(name, stage);
    } else if (word === "WORKDIR") {
      stage.workdir = rest;
      mkdirSync(inStage(rest), { recursive: true });
    } else if (word === "COPY") copy(rest);
    else if (word === "RUN") await run(rest);
    else if (word === "ENV") setEnv(rest);
    else if (word === "USER") stage.user = rest;
    else if (word === "HEALTHCHECK") stage.healthcheck = JSON.parse(rest.slice(rest.indexOf("[")));
    else if (word === "ENTRYPOINT" || word === "CMD") stage.command.push(...JSON.parse(rest));
    else
      assert.match(word, /^(?:ARG|VOLUME|EXPOSE|STOPSIGNAL)$/, `${basename(dirname(dockerfile))}: ${word}`);
  }
  return {
    start: (env) => runIn(stage, stage.command, { env, isReadOnly: true }),
    checkHealth: async (env) => (await finish(runIn(stage, stage.healthcheck, { env }))).code,
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}
