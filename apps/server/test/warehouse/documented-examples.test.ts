/** Every example of the documentation is sent as the page writes it, and the service answers as the example says. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import {
  OPERATIONS,
  type OpenApiDocument,
  type OpenApiOperation,
  type Operation,
  type OperationId,
  operation,
} from "@headwater/contract";
import { openStatsWorld, type StatsWorld } from "../stats/stats-world.ts";

/** In an order in which each example finds what an earlier one created. */
const ORDER = [
  ..."healthz readyz metrics readSignInCode signIn listSessions endSession signOut listOrganizations createOrganization getPermissions".split(
    " ",
  ),
  ..."createSource updateSource bootstrap events legacyBootstrap legacyEvents segmentCall getSource listSources".split(
    " ",
  ),
  ..."mcp getInstall verifyInstall getDebug getEventCatalog savePlan getPlan listPlanVersions proposePlan createSavedItem listSavedItems deleteSavedItem createReport deleteReport".split(
    " ",
  ),
  ..."getQuarantine listKeptEvents testReplay startReplay getReplay listReplays stopReplay resumeReplay".split(
    " ",
  ),
  ..."queryStats queryFunnel queryRetention queryPaths queryProperties queryVisits getStatsSource getLive getHostSplit getDelivery listAlerts".split(
    " ",
  ),
  ..."exportEvents listEvents getUsage getBilling getSupport getOnboarding completeOnboarding listAudit".split(
    " ",
  ),
  ..."addMember listMembers updateMember removeMember createToken listTokens revokeToken".split(" "),
  ..."getProfile updateProfile getSignInMethods requestSignInLink createInvitation readInvitation".split(" "),
  ..."joinWorkspace createInvitation acceptInvitation createInvitation listInvitations revokeInvitation".split(
    " ",
  ),
  ..."regenerateKey regenerateKey restoreKey eraseVisitor getErasure deleteSource".split(" "),
];
/** Some need a password, an authenticator, a page of the console or of the internet, a mail server or a provider, one has no end, the documents have no examples, and those of other tools are in `test/compat/examples.test.ts`. */
const LEFT_OUT =
  "unlockStats rememberSignIn refreshToken forgetSignIn listPasskeys startPasskey addPasskey removePasskey startPasskeySignIn signInWithPasskey testInstall requestEmail confirmEmail restoreEmail startOidc finishOidc listReports previewReport sendReport askReportConsent giveReportConsent confirmUnsubscribe unsubscribe streamDebug openapi docs sdk sdkExtra securityTxt".split(
    " ",
  );
/** Their answers have ids that later examples use. */
const CREATING = [
  "signIn",
  "createInvitation",
  "createSource",
  "bootstrap",
  "addMember",
  "createToken",
  "regenerateKey",
  "eraseVisitor",
  "createSavedItem",
  "createReport",
  "startReplay",
];
/** Members that are a JSON object of any form. A proposal has what the other examples have sent. */
const FREE_FORM = new Set([
  "context",
  "properties",
  "raw",
  "normalized",
  "dropped",
  "before",
  "after",
  "settings",
  "bundle",
  "proposePlan.plan.events",
]);
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const SIGN_IN_CODE = "8f2Kd0sQv7Lw3Zx1";
const INVITATION_CODE = "q3vX8nB5Rt0LwZ7cJ2mKd9sF";
const RETIRED_KEY = "pk_hLdTXAOL5ZgjMb206ZsJodgM";

/** The time of the service and of the shell, later than that of the examples. */
const NOW = Date.UTC(2026, 10, 23, 9);

let stats: StatsWorld;
let document: OpenApiDocument;
let page: string;
before(async () => {
  stats = await openStatsWorld();
  const { ask } = stats.world;
  document = (await ask("/openapi.json", { token: null })).body;
  page = (await ask("/docs", { token: null })).text;
});
after(() => stats[Symbol.asyncDispose]());

const operations = () => Object.values(document.paths).flatMap((methods) => Object.values(methods));
const operationOf = (id: string): OpenApiOperation =>
  operations().find(({ operationId }) => operationId === id) ?? assert.fail(id);

/** The command of the page, with the ids of this service for those of the examples. */
function commandOf(id: string, ids: ReadonlyMap<string, string>): string {
  const [, html] = new RegExp(`id="request-${id}">([^<]*)<`).exec(page) ?? assert.fail(id);
  const command = html!.replace(/&(#?\w+);/g, (_, name: string) => ENTITIES[name] ?? "");
  return [...ids].reduce((text, [example, real]) => text.replaceAll(example, real), command);
}

async function run(command: string, token: string): Promise<{ status: string; body: string }> {
  const measured = command.replace(/^curl /, `curl --silent --write-out '\n%{http_code}' `);
  const date = `date() { echo ${new Date(NOW).toISOString()}; }`;
  const env = { ...process.env, TOKEN: token };
  const { stdout } = await promisify(execFile)("sh", ["-c", `${date}\n${measured}`], { env });
  const end = stdout.lastIndexOf("\n");
  return { status: stdout.slice(end + 1), body: stdout.slice(0, end) };
}

/** Fails when the two have other members or types. null stands for every type, and an empty list for every list. */
function sameShape(example: unknown, real: unknown, where: string): void {
  if (example === null || real === null) return;
  if (Array.isArray(example) && Array.isArray(real)) {
    if (example.length > 0 && real.length > 0) sameShape(example[0], real[0], `${where}[0]`);
    return;
  }
  assert.equal(typeof real, typeof example, where);
  if (typeof example !== "object" || typeof real !== "object") return;
  assert.deepEqual(Object.keys(real).toSorted(), Object.keys(example).toSorted(), where);
  for (const [name, value] of Object.entries(example))
    if (!FREE_FORM.has(name) && !FREE_FORM.has(`${where}.${name}`))
      sameShape(value, Reflect.get(real, name), `${where}.${name}`);
}

/** The ids of an example answer, and those that the service answered in their place. */
function idsIn(example: unknown, real: unknown): [string, string][] {
  if (typeof example === "string" && typeof real === "string")
    return /^[a-z]{2,3}_\w{10,}$/.test(example) ? [[example, real]] : [];
  if (typeof example !== "object" || example === null || typeof real !== "object" || real === null) return [];
  return Object.entries(example).flatMap(([name, value]) => idsIn(value, Reflect.get(real, name)));
}

/** Events of bots, and those of another day, are not in the stats that a reader opens next. */
function assertCounted(answer: unknown): void {
  const { results } = answer as { results: { status: string; warnings: string[] }[] };
  assert.ok(results.length > 0);
  for (const { status, warnings } of results) assert.deepEqual([status, warnings], ["accepted", []]);
}

test("Every operation has an example of its request and of its response, except documents and streams.", () => {
  const ofOtherTools = OPERATIONS.filter((one: Operation) => one.compatEndpoint).map(({ id }): string => id);
  const without = operations().filter(
    ({ operationId }) => ![...ORDER, ...ofOtherTools].includes(operationId),
  );
  assert.deepEqual(without.map(({ operationId }) => operationId).toSorted(), LEFT_OUT.toSorted());
});

/** The code of a new account, an owner. */
async function newSignInCode(): Promise<string> {
  const inviting = { organizationId: stats.world.organizationId, role: "owner" };
  const token = await stats.world.ownerSession();
  const { url } = (await stats.world.ask("/api/invitations", { method: "POST", token, body: inviting })).body;
  const body = { code: url.split("#code=")[1], name: "Grace" };
  const accepted = await stats.world.ask("/api/invitations/accept", { method: "POST", token: null, body });
  return accepted.body.signInCode;
}

test("Every example request is answered with the documented status and the members of the example.", async () => {
  const people = [await stats.world.person("owner"), await stats.world.person("owner")];
  const ids = new Map([[SIGN_IN_CODE, await newSignInCode()]]);
  const originals = new Set<string>();
  let signedIn = "";
  const tokenFor = (id: string): string => {
    if (id === "listSessions" || id === "endSession") return signedIn;
    if (id === "signOut") return people[0]!.token;
    const isPersonal = id === "createInvitation" || operation(id as OperationId).access === "person";
    return isPersonal ? people[1]!.token : stats.world.ownerToken;
  };
  for (const id of ORDER) {
    // the sign-in code has expired by then
    if (id === "createSource") stats.setNow(NOW);
    const { status, body } = await run(commandOf(id, ids), tokenFor(id));
    const [documented, response] = Object.entries(operationOf(id).responses)[0]!;
    assert.equal(status, documented, `${id}: ${body}`);
    assert.ok("content" in response && response.content, id);
    const [mediaType, { example }] = Object.entries(response.content)[0]!;
    if (mediaType !== "application/json") continue;
    const real: unknown = JSON.parse(body);
    sameShape(example, real, id);
    if (id === "signIn") signedIn = String(Reflect.get(Object(real), "token"));
    if (id === "bootstrap") assertCounted(real);
    if (!CREATING.includes(id)) continue;
    if (id === "createInvitation")
      ids.set(INVITATION_CODE, String(Reflect.get(Object(real), "url")).split("#code=")[1] ?? "");
    for (const [of, found] of idsIn(example, real)) {
      if (of.startsWith("pk_") && !originals.has(found)) originals.add(found);
      ids.set(of, found);
    }
    // the first of the source's keys is the one that is retired in the end
    ids.set(RETIRED_KEY, [...originals][0] ?? "");
  }
});
