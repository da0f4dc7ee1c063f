/** Runs the proxy configurations of deploy/, with their own ports, a temporary certificate, and one upstream. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";
import { type AddressInfo, connect as connectTcp, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { until } from "../support/until.ts";

/** The placeholder for the operator's host name in every file. */
export const NAME = "hw.example.com";
const DEPLOY = fileURLToPath(new URL("../../../../deploy", import.meta.url));

export const deployFile = (name: string): Promise<string> => readFile(join(DEPLOY, name), "utf8");

interface FrontReply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** The client's loopback address. */
  from?: string;
}

export interface Front extends AsyncDisposable {
  /** The port for plain HTTP. */
  httpPort: number;
  /** The address for TLS, and the certificate to trust. */
  url: string;
  certificate: string;
  /** Over HTTP/2 and TLS, with the certificate and its name checked. */
  ask(path: string, sent?: Sent): Promise<FrontReply>;
  /** Starts a GET; `text` returns what has arrived so far. Disposing it ends the request. */
  follow(path: string, headers: Record<string, string>): Disposable & { text(): string };
}

interface ProxyPlace {
  folder: string;
  port: number;
  httpPort: number;
}

export interface Program {
  /** The command and its arguments. */
  command(folder: string): [string, ...string[]];
  /** Makes the configuration to run from the file in deploy/. */
  configuration(place: ProxyPlace, upstream: string): Promise<string>;
  /** What changes in the configuration for a second node, as the file says. */
  paired(upstream: string, second: string): Record<string, string>;
  /** Lines that are commented out in the file; they trust a proxy in front of this one by its address. */
  believed: readonly string[];
}

/** The placeholder for the address of such a proxy in every file. */
const OUTER = "203.0.113.7";

/** Fails when a text is missing, because then the file has changed and this test must change too. */
function replaced(text: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((changed, [from, to]) => {
    assert.ok(
      changed.includes(from),
      `the file in deploy/ does not contain ${JSON.stringify(from)} any more`,
    );
    return changed.replaceAll(from, to);
  }, text);
}

export const NGINX: Program = {
  paired: (_, second) => ({ "# server 10.0.0.11:8790": `server ${second}` }),
  believed: [`set_real_ip_from ${OUTER};`, "real_ip_header X-Forwarded-For;", "real_ip_recursive on;"],
  command: (folder) => ["/usr/sbin/nginx", "-e", "stderr", "-p", folder, "-c", join(folder, "run")],
  configuration: async ({ folder, port, httpPort }, upstream) => {
    const file = replaced(await deployFile("nginx.conf"), {
      "  server 127.0.0.1:8790": `  server ${upstream}`,
      "listen 80;\n  listen [::]:80;": `listen 127.0.0.1:${httpPort};`,
      "listen 443 ssl http2;\n  listen [::]:443 ssl http2;": `listen 127.0.0.1:${port} ssl http2;`,
      [`/etc/letsencrypt/live/${NAME}/fullchain.pem`]: `${folder}/certificate.pem`,
      [`/etc/letsencrypt/live/${NAME}/privkey.pem`]: `${folder}/key.pem`,
    });
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    );
    return `daemon off; pid ${folder}/pid; worker_processes 1; error_log stderr;
events {}
http {
${temporary.join("\n")}
${file}
}`;
  },
};

export const CADDY: Program = {
  paired: (upstream, second) => ({
    [`\treverse_proxy ${upstream} {`]: `\treverse_proxy ${upstream} ${second} {`,
  }),
  believed: [`trusted_proxies ${OUTER}`],
  command: (folder) => ["/usr/bin/caddy", "run", "--adapter", "caddyfile", "--config", join(folder, "run")],
  configuration: async ({ folder, port, httpPort }, upstream) => {
    const file = replaced(await deployFile("Caddyfile"), {
      [`\n${NAME} {\n`]: `\nhttps://${NAME} {\nbind 127.0.0.1\ntls ${folder}/certificate.pem ${folder}/key.pem\n`,
      "reverse_proxy 127.0.0.1:8790 {": `reverse_proxy ${upstream} {`,
    });
    return `{\nadmin off\nhttp_port ${httpPort}\nhttps_port ${port}\n}\n${file}`;
  },
};

export async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()].map((server) => server.listen(0, "127.0.0.1"));
  await Promise.all(servers.filter((server) => !server.listening).map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  return [ports[0]!, ports[1]!];
}

async function makeCertificate(folder: string): Promise<string> {
  const certificate = join(folder, "certificate.pem");
  const kind = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1".split(" ");
  const names = ["-subj", `/CN=${NAME}`, "-addext", `subjectAltName=DNS:${NAME}`];
  const files = ["-keyout", join(folder, "key.pem"), "-out", certificate];
  await promisify(execFile)("openssl", [...kind, ...names, ...files]);
  return readFile(certificate, "utf8");
}

function openSession(ca: string, port: number, from: string): ClientHttp2Session {
  const createConnection = () => {
    const socket = connectTcp({ host: "127.0.0.1", port, localAddress: from });
    return connectTls({ socket, servername: NAME, ca, ALPNProtocols: ["h2"] });
  };
  return connect(`https://${NAME}:${port}`, { createConnection });
}

async function ask(session: ClientHttp2Session, path: string, sent: Sent): Promise<FrontReply> {
  const failed = once(session, "error").then(([error]) => Promise.reject(error));
  const stream = session.request({ ":path": path, ":method": sent.method ?? "GET", ...sent.headers });
  const responded = once(stream, "response");
  stream.end(sent.body);
  const [headers] = (await Promise.race([responded, failed])) as [IncomingHttpHeaders];
  const chunks = await Promise.race([stream.toArray(), failed]);
  return { status: Number(headers[":status"]), headers, text: Buffer.concat(chunks).toString() };
}

/** The same program, with a proxy at this address in front of it. */
export const behind = (program: Program, outer: string): Program => ({
  ...program,
  configuration: async (place, upstream) => {
    const uncommented = program.believed.map((line) => [`# ${line}`, line.replace(OUTER, outer)]);
    return replaced(await program.configuration(place, upstream), Object.fromEntries(uncommented));
  },
});

/** The same program, with a second node. */
export const over = (program: Program, second: string): Program => ({
  ...program,
  configuration: async (place, upstream) =>
    replaced(await program.configuration(place, upstream), program.paired(upstream, second)),
});

const WAREHOUSE_BLOCK = /(# An embedded warehouse on one of several nodes.*\n)((?:[ \t]*# .*\n)+)/;

/** The same program, which sends what reads the warehouse to this node, by the lines that are commented out in the file. */
export const withWarehouse = (program: Program, node: string): Program => ({
  ...program,
  configuration: async (place, upstream) => {
    const text = await program.configuration(place, upstream);
    assert.match(text, WAREHOUSE_BLOCK);
    return text.replace(WAREHOUSE_BLOCK, (_, title: string, lines: string) => {
      const uncommented = lines.replace(/^([ \t]*)# /gm, "$1");
      return `${title}${uncommented.replaceAll("10.0.0.11:8790", node)}`;
    });
  },
});

/** @param upstream the service's host and port */
export async function startFront(program: Program, upstream: string): Promise<Front> {
  const folder = await mkdtemp(join(tmpdir(), "headwater-front-"));
  // workers may run as another user
  await chmod(folder, 0o755);
  const ca = await makeCertificate(folder);
  const [port, httpPort] = await freePorts();
  await writeFile(join(folder, "run"), await program.configuration({ folder, port, httpPort }, upstream));
  const [command, ...words] = program.command(folder);
  const child = spawn(command, words, {
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };

  const front: Front = {
    httpPort,
    url: `https://127.0.0.1:${port}`,
    certificate: ca,
    async ask(path, sent = {}) {
      const session = openSession(ca, port, sent.from ?? "127.0.0.1");
      try {
        return await ask(session, path, sent);
      } finally {
        session.destroy();
      }
    },
    follow(path, headers) {
      const session = openSession(ca, port, "127.0.0.1");
      let text = "";
      session.request({ ":path": path, ...headers }).on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      return { text: () => text, [Symbol.dispose]: () => session.destroy() };
    },
    [Symbol.asyncDispose]: stop,
  };
  try {
    await until("the proxy answers", async () => {
      assert.equal(child.exitCode, null, said);
      return (await front.ask("/healthz").catch(() => null))?.status === 200;
    });
  } catch (error) {
    await stop();
    throw new Error(said, { cause: error });
  }
  return front;
}
