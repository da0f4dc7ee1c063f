/** Commands while a service is running: both use the same ledger, and the service sees every change. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { until } from "../support/until.ts";
import { bootstrapBody } from "../support/world.ts";
import { folder, headwaterHere, type ServingProcess, serve } from "./command-line.ts";

const data = folder();
const settings = { DATA_DIR: data.at("data"), BASE_URL: "https://stats.example.com" };
let service: ServingProcess;
let token: string;

const run = (...words: string[]) => headwaterHere(settings, ...words);
/** The JSON result of a command that must succeed. */
async function answer(...words: string[]) {
  const outcome = await run(...words, "--json");
  assert.equal(outcome.code, 0, outcome.stderr);
  return outcome.json();
}
async function ask(path: string, bearer = token) {
  const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${bearer}` } });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  return { status: response.status, body: (await response.json()) as any };
}
/** Waits until the service sees a change of another process. */
const soon = (check: () => Promise<boolean>) => until("the service sees the change", check);

before(async () => {
  service = await serve(settings);
  token = service.firstStart!.token!;
});
after(async () => {
  await service.stop();
  data[Symbol.dispose]();
});

test("The first start prints a token that works; a second process cannot use the folder.", async () => {
  assert.equal((await ask("/api/organizations")).body.organizations[0].role, "owner");
  const { code, stderr } = await run("serve");
  assert.equal(code, 78);
  assert.match(stderr, /^Another Headwater process serves DATA_DIR/);
});

test("`sign-in` prints a link to the console that works once, for the owner or for a member.", async () => {
  const { url, userId } = await answer("sign-in");
  const [page, code] = url.split("#code=");
  assert.equal(page, "https://stats.example.com/sign-in");
  const signIn = () =>
    fetch(`${service.url}/api/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
    });
  const signedIn = await signIn();
  assert.equal(signedIn.status, 200);
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  const created = (await signedIn.json()) as any;
  assert.equal(created.userId, userId);
  assert.equal((await ask("/api/organizations", created.token)).body.organizations[0].role, "owner");
  assert.equal((await signIn()).status, 401);
  const local = await headwaterHere({ DATA_DIR: settings.DATA_DIR, PORT: "8123" }, "sign-in");
  assert.match(local.stdout, /^http:\/\/127\.0\.0\.1:8123\/sign-in#code=/);
  assert.match(local.stderr, /It leads to http:\/\/127\.0\.0\.1:8123 because BASE_URL is not set\./);
  const unknown = await run("sign-in", "--user", "usr_nobody");
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /There is no member "usr_nobody"\. Run `npx headwater member list`/);
});

describe("source", () => {
  test("An empty list is followed by the next step.", async () => {
    assert.match(
      (await run("source", "list")).stdout,
      /^No sources yet\. Run `npx headwater source create --name/,
    );
    const { sources, statuses } = await answer("source", "list");
    assert.deepEqual(sources, []);
    assert.deepEqual(new Set(Object.values(statuses)), new Set([0]));
  });

  test("A created source has normalized origins, and the service knows it.", async () => {
    const origins = ["--origin", "https://Shop.example/", "--origin", "http://localhost:*"];
    const source = await answer("source", "create", "--name", "Café", ...origins, "--framework", "react");
    assert.deepEqual(source.allowedOrigins, ["https://shop.example", "http://localhost:*"]);
    assert.deepEqual([source.slug, source.frameworkHint], ["cafe", "react"]);
    const { body } = await ask(`/api/tracking-sources/${source.sourceId}`);
    assert.deepEqual(body, source);
    const { sources } = await answer("source", "list");
    assert.ok(sources.some(({ sourceId }: { sourceId: string }) => sourceId === source.sourceId));
    assert.match((await run("source", "list")).stdout, /^ID +NAME +PUBLIC KEY.*\nsrc_\S+ +Café +pk_/);
  });

  test("An invalid origin is refused with a suggestion, and a taken slug with the next step.", async () => {
    const wrong = await run("source", "create", "--name", "x", "--origin", "*shop.example");
    assert.equal(wrong.code, 64);
    assert.match(
      wrong.stderr,
      /^--origin \(number 1\) is not an origin .*did you mean "https:\/\/\*\.shop\.example"\?/,
    );
    await answer("source", "create", "--name", "One", "--slug", "taken");
    const taken = await run("source", "create", "--name", "Two", "--slug", "taken");
    assert.equal(taken.code, 1);
    assert.match(taken.stderr, /has this slug\. Choose another --slug/);
  });

  test("An update changes only what is given, and is in the audit log.", async () => {
    const origins = ["--origin", "https://one.example"];
    const source = await answer("source", "create", "--name", "Before", ...origins, "--framework", "vue");
    const { sourceId } = source;
    const renamed = await answer("source", "update", sourceId, "--name", "After", "--active", "off");
    const { updatedAt } = renamed;
    assert.deepEqual(renamed, { ...source, name: "After", isActive: false, updatedAt });
    await soon(async () => (await ask(`/api/tracking-sources/${sourceId}`)).body.name === "After");

    const two = ["--origin", "https://Two.example/", "--origin", "https://*.two.example"];
    const further = ["--slug", "further", "--framework", "astro", "--require-origin", "on"];
    const changed = await answer("source", "update", sourceId, ...two, ...further, "--active", "on");
    assert.deepEqual(changed.allowedOrigins, ["https://two.example", "https://*.two.example"]);
    assert.deepEqual(
      [changed.slug, changed.frameworkHint, changed.requireOrigin, changed.isActive, changed.name],
      ["further", "astro", true, true, "After"],
    );
    const { entries } = (await ask("/api/audit?organizationId=org_default")).body;
    const [last] = entries;
    assert.deepEqual([last.action, last.target, last.userId], ["source.updated", sourceId, "command-line"]);

    const priced =
      'Sold=event:buy; price gt 100; plan is_not "a; 1"; "b" is true; code is "1"; value 25.5 eur';
    const goals = ["--goal", "Sign-up=event:signup", "--goal", "a=b=path:/b;*", "--goal", priced];
    const counted = [...goals, "--exclude-path", "/admin*"];
    const rule = "referrer=*.partner.example -> Our partner | Affiliates";
    const ruled = ["--channel-rule", rule, "--channel-rule", "medium=qr* -> - | Referral"];
    const byRule = await answer("source", "update", sourceId, ...ruled);
    assert.deepEqual(byRule.channelRules, [
      { field: "referrer", pattern: "*.partner.example", source: "Our partner", channel: "Affiliates" },
      { field: "medium", pattern: "qr*", source: null, channel: "Referral" },
    ]);
    const group = "Docs=/docs/*; /guides/*";
    const grouped = await answer("source", "update", sourceId, "--content-group", group);
    assert.deepEqual(grouped.contentGroups, [{ name: "Docs", paths: ["/docs/*", "/guides/*"] }]);
    const ungrouped = await answer("source", "update", sourceId, "--content-group", "none");
    assert.deepEqual(ungrouped.contentGroups, []);
    const own = ["--exclude-address", "203.0.113.7", "--exclude-address", "2001:db8::/48"];
    const kept = [...own, "--bots", "reject", "--retention-days", "90", "--respect-gpc", "on"];
    const limited = ["--max-batch-size", "50", "--client-rate-per-second", "5", "--events-per-day", "9"];
    const cleaned = ["--query-parameter", "page", "--merge-path", "/orders/*", "--lower-case-paths", "on"];
    const one = await answer("source", "update", sourceId, ...counted, ...kept, ...limited, ...cleaned);
    assert.deepEqual(one.queryParameters, ["page"]);
    assert.deepEqual([one.pathRules.patterns, one.pathRules.lowerCase], [["/orders/*"], true]);
    assert.deepEqual(one.goals, [
      { name: "Sign-up", event: "signup", path: null, conditions: [], value: null },
      { name: "a=b", event: null, path: "/b;*", conditions: [], value: null },
      {
        name: "Sold",
        event: "buy",
        path: null,
        conditions: [
          { property: "price", operator: "gt", value: 100 },
          { property: "plan", operator: "is_not", value: "a; 1" },
          { property: '"b"', operator: "is", value: true },
          { property: "code", operator: "is", value: "1" },
        ],
        value: { amount: 25.5, currency: "EUR" },
      },
    ]);
    assert.deepEqual([one.excludedPaths, one.bots, one.retentionDays], [["/admin*"], "reject", 90]);
    assert.deepEqual(one.excludedAddresses, ["203.0.113.7", "2001:db8::/48"]);
    assert.deepEqual(one.privacy, { respectGpc: true, requireConsent: false });
    const { maxBatchSize, maxPayloadBytes, clientRatePerSecond, eventsPerDay } = one.limits;
    assert.deepEqual([maxBatchSize, maxPayloadBytes, clientRatePerSecond, eventsPerDay], [50, null, 5, 9]);
    const off = ["--goal", "none", "--exclude-path", "none", "--retention-days", "none"];
    off.push("--exclude-address", "none");
    const other = await answer("source", "update", sourceId, ...off, "--max-batch-size", "default");
    assert.deepEqual([other.goals, other.excludedPaths, other.retentionDays], [[], [], null]);
    assert.deepEqual(other.excludedAddresses, []);
    const all = await answer(
      "source",
      "update",
      sourceId,
      "--query-parameter",
      "all",
      "--merge-path",
      "none",
    );
    assert.deepEqual([all.queryParameters, all.pathRules.patterns], ["all", []]);
    assert.deepEqual([other.limits.maxBatchSize, other.limits.clientRatePerSecond], [null, 5]);
    for (const [words, sentence] of [
      [["--goal", "signup"], /^--goal must be Name=event:… or Name=path:\/…/],
      [["--goal", "A=event:a; price above 1"], /^--goal must be .*value 25 EUR/],
      [["--goal", "A=event:a; value 1 EUX"], /^--goal \(number 1\) .*ISO 4217/],
      [["--retention-days", "a week"], /^--retention-days must be a whole number or "none"/],
      [["--retention-days", "0"], /^--retention-days /],
      [["--exclude-path", "admin"], /^--exclude-path \(number 1\) /],
      [
        ["--exclude-address", "::1", "--exclude-address", "10.0.0.0/33"],
        /^--exclude-address \(number 2\) .*10\.0\.0\.0\/33/,
      ],
      [["--embed-origin", "two"], /^--embed-origin \(number 1\) is not an origin/],
      [["--max-batch-size", "0"], /^--max-batch-size /],
      [["--content-group", "Docs"], /^--content-group must be a name and paths/],
      [["--content-group", "Docs=/a b"], /^--content-group \(number 1\) /],
      [["--channel-rule", "medium=qr -> Poster | Print"], /^--channel-rule must be such as 'medium=qr/],
    ] as const) {
      const refused = await run("source", "update", sourceId, ...words);
      assert.equal(refused.code, 64, refused.stderr);
      assert.match(refused.stderr, sentence);
    }

    const edited = await answer(
      ...["source", "update", sourceId, "--add-origin", "https://Three.example/"],
      ...["--remove-origin", "https://two.example"],
    );
    assert.deepEqual(edited.allowedOrigins, ["https://*.two.example", "https://three.example"]);
    const none = await run("source", "update", sourceId, "--remove-origin", "https://two.example");
    assert.deepEqual([none.code, none.stderr.split(".", 1)[0]], [64, "--remove-origin https://two"]);
    const both = await run(
      "source",
      "update",
      sourceId,
      "--origin",
      "https://a.example",
      "--add-origin",
      "https://b.example",
    );
    assert.deepEqual([both.code, /^--origin replaces the whole list/.test(both.stderr)], [64, true]);
    await answer("source", "update", sourceId, "--remove-origin", "https://three.example");
    const wrong = await run("source", "update", sourceId, "--origin", "two");
    assert.equal(wrong.code, 64);
    assert.match(wrong.stderr, /^--origin \(number 1\) is not an origin/);
    const unknown = await run("source", "update", "src_nope", "--active", "on");
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /`npx headwater source list`/);
  });

  test("`source install` prints what the API returns.", async () => {
    const { sourceId, publicKey } = await answer("source", "create", "--name", "Install");
    const { body } = await ask(`/api/tracking-sources/${sourceId}/install`);
    assert.deepEqual(await answer("source", "install", sourceId), body);
    const snippet = await run("source", "install", sourceId);
    assert.equal(snippet.stdout, body.browserSnippet);
    assert.ok(snippet.stdout.includes(publicKey));
    for (const framework of ["react", "nextjs"]) {
      const { stdout } = await run("source", "install", sourceId, "--framework", framework);
      assert.equal(stdout, body[`${framework}Example`]);
    }
    const astro = await run("source", "install", sourceId, "--framework", "astro");
    assert.equal(astro.stdout, body.snippets.astro);
    const { body: own } = await ask(`/api/tracking-sources/${sourceId}/install?path=/own`);
    const path = ["--path", "/own"];
    assert.deepEqual(await answer("source", "install", sourceId, ...path), own);
    const behind = await run("source", "install", sourceId, ...path);
    assert.equal(behind.stdout, own.proxy.browserSnippet);
    const rules = await run("source", "install", sourceId, ...path, "--proxy", "caddy");
    assert.equal(rules.stdout, own.proxy.caddy);
    const local = await headwaterHere(
      { DATA_DIR: settings.DATA_DIR, PORT: "4321" },
      "source",
      "install",
      sourceId,
    );
    assert.ok(local.stdout.includes("http://127.0.0.1:4321"));
    assert.match(local.stderr, /BASE_URL is not set/);
    const unknown = await run("source", "install", "src_nope");
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /`npx headwater source list`/);
  });
});

test("A visitor's pages share a session although a command changes the ledger between them.", async () => {
  const old = "https://old.example";
  const { sourceId, publicKey } = await answer("source", "create", "--name", "Joined", "--origin", old);
  const open = (origin: string) =>
    fetch(`${service.url}/api/ingest/v2/${publicKey}/bootstrap`, {
      method: "POST",
      headers: { origin },
      body: JSON.stringify(bootstrapBody({ anonymousId: "joining", joinSession: true })),
    });
  // the answer to a bootstrap
  const sessionOf = async (answer: Response) => ((await answer.json()) as { sessionId: string }).sessionId;
  const sessionId = await sessionOf(await open(old));
  await answer("source", "update", sourceId, "--origin", "https://new.example");
  await soon(async () => (await open(old)).status === 403);
  assert.equal(await sessionOf(await open("https://new.example")), sessionId);
});

describe("member and token", () => {
  test("Names stand for ids.", async () => {
    const { sourceId } = await answer("source", "create", "--name", "Named shop");
    const renamed = await answer("source", "update", "named SHOP", "--slug", "named");
    assert.equal(renamed.sourceId, sourceId);
    assert.ok((await answer("source", "install", "named")).browserSnippet.includes(renamed.publicKey));
    await answer("source", "create", "--name", "Named shop", "--slug", "another");
    const twice = await run("source", "install", "Named shop");
    assert.equal(twice.code, 1);
    assert.match(
      twice.stderr,
      /^Several sources have the name "Named shop": src_\S+, src_\S+\. Run `npx headwater source/,
    );

    const member = await answer("member", "add", "--role", "viewer", "--name", "Ada");
    assert.equal((await answer("member", "role", "ada", "developer")).userId, member.userId);
    const created = await answer("token", "create", "--account", "Ada", "--label", "Ada's laptop");
    assert.equal(created.userId, member.userId);
    const { stdout } = await run("token", "list");
    assert.match(stdout, /^ID +LABEL +USER +ACCESS TO +LAST CHARACTERS/);
    assert.equal((await answer("token", "revoke", "Ada's laptop")).tokenId, created.tokenId);
    assert.equal((await run("token", "revoke", "Ada's laptop")).code, 1);
    assert.equal((await answer("source", "list", "--organization", "My workspace")).sources.length > 0, true);
  });

  test("A service account's token works until it is revoked.", async () => {
    const member = await answer("member", "add", "--role", "developer", "--name", "Laptop");
    const created = await answer("token", "create", "--account", member.userId, "--label", "Ada's laptop");
    const permissions = "/api/permissions?organizationId=org_default";
    assert.equal((await ask(permissions, created.token)).body.role, "developer");

    await answer("member", "role", member.userId, "viewer");
    await soon(async () => (await ask(permissions, created.token)).body.role === "viewer");

    const { tokens } = await answer("token", "list");
    const listed = tokens.find(({ tokenId }: { tokenId: string }) => tokenId === created.tokenId);
    assert.deepEqual(
      [listed.label, listed.hint, listed.revokedAt],
      ["Ada's laptop", created.token.slice(-4), null],
    );
    assert.ok(!JSON.stringify(tokens).includes(created.token));

    await answer("token", "revoke", created.tokenId);
    await soon(async () => (await ask(permissions, created.token)).body.code === "revoked_token");
    assert.match((await run("token", "list")).stdout, new RegExp(`${created.tokenId}.*revoked`));
    assert.match((await run("token", "revoke", created.tokenId)).stdout, /was revoked already/);
  });

  test("A token for the stats of one source opens nothing else, and the list shows that.", async () => {
    const { sourceId } = await answer("source", "create", "--name", "Given away");
    const words = ["--label", "Board", "--source", sourceId];
    const { token: given } = await answer("token", "create", ...words);
    const { status, body } = await ask(`/api/stats/source?sourceId=${sourceId}`, given);
    assert.deepEqual([status, body.name], [200, "Given away"]);
    assert.equal((await ask("/api/organizations", given)).body.code, "permission_denied");
    assert.match((await run("token", "list")).stdout, new RegExp(`Board.*stats of ${sourceId}`));
    const unknown = await run("token", "create", ...words.slice(0, -1), "src_never");
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /There is no source "src_never"/);
  });

  test("The token of a removed member stops working.", async () => {
    const { userId } = await answer("member", "add", "--role", "admin", "--name", "Removed");
    const signIn = await run("sign-in", "--user", userId);
    assert.match(signIn.stderr, /There is no member/, "nobody signs in as a service account");
    const created = await answer(
      "token",
      "create",
      "--account",
      userId,
      "--label",
      "x",
      "--expires",
      "2099-01-01T00:00Z",
    );
    assert.equal(created.expiresAt, "2099-01-01T00:00:00.000Z");
    await answer("member", "remove", userId);
    await soon(async () => (await ask("/api/organizations", created.token)).status === 401);
    assert.equal((await run("member", "remove", userId)).code, 1);
  });

  test("The last owner cannot be removed or demoted.", async () => {
    const { members } = await answer("member", "list");
    const owner = members.find(({ role }: { role: string }) => role === "owner").userId;
    for (const words of [
      ["remove", owner],
      ["role", owner, "admin"],
    ]) {
      const { code, stderr } = await run("member", ...words);
      assert.equal(code, 1);
      assert.match(stderr, /^The last owner .* Make another member an owner first\.\n$/);
    }
  });

  test("An owner can get a token for all workspaces, and it can be revoked from the command line.", async () => {
    const created = await answer("token", "create", "--owner");
    const { organizationId } = await answer("workspace", "create", "--name", "Second");
    const permissions = `/api/permissions?organizationId=${organizationId}`;
    await soon(async () => (await ask(permissions, created.token)).body.role === "owner");
    await answer("token", "revoke", created.tokenId);
    await soon(async () => (await ask(permissions, created.token)).body.code === "revoked_token");
    for (const workspace of ["org_default", organizationId]) {
      const { entries } = (await ask(`/api/audit?organizationId=${workspace}`)).body;
      const revoked = entries.find(({ action }: { action: string }) => action === "token.revoked");
      assert.deepEqual(
        [revoked.userId, revoked.tokenId, revoked.target],
        ["command-line", null, created.tokenId],
      );
    }
  });

  test("A token needs a service account, an expiry in the future, and an existing workspace.", async () => {
    const { members } = await answer("member", "list");
    const owner = members.find(({ role }: { role: string }) => role === "owner").userId;
    for (const no of ["command-line", owner]) {
      const stranger = await run("token", "create", "--account", no, "--label", "x");
      assert.equal(stranger.code, 1);
      assert.match(stranger.stderr, /There is no service account .*\. Run `npx headwater member list`/);
    }
    const past = await run("token", "create", "--owner", "--expires", "2001-01-01T00:00:00Z");
    assert.equal(past.code, 64);
    assert.match(past.stderr, /^--expires must be in the future\.\n$/);
    const nowhere = await run("token", "list", "--organization", "org_nope");
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.stderr, /^There is no workspace "org_nope"\. Run `npx headwater workspace list`/);
  });

  test("Changes by the command line are in the audit log under its name.", async () => {
    const { entries } = (await ask("/api/audit?organizationId=org_default")).body;
    const byCommandLine = entries.filter(({ userId }: { userId: string }) => userId === "command-line");
    const actions = new Set(byCommandLine.map(({ action }: { action: string }) => action));
    for (const action of [
      "source.created",
      "member.added",
      "member.role_changed",
      "member.removed",
      "token.created",
    ]) {
      assert.ok(actions.has(action), action);
    }
  });
});

test("A workspace has the given owner, and is listed with its members and sources.", async () => {
  const made = await answer("workspace", "create", "--name", "Third", "--owner", "usr_from_a_jwt");
  const { members } = await answer("member", "list", "--organization", made.organizationId);
  assert.deepEqual(
    members.map(({ userId, role }: { userId: string; role: string }) => [userId, role]),
    [["usr_from_a_jwt", "owner"]],
  );
  const { organizations } = await answer("workspace", "list");
  const listed = organizations.find(
    (one: { organizationId: string }) => one.organizationId === made.organizationId,
  );
  assert.deepEqual([listed.name, listed.members, listed.sources], ["Third", 1, 0]);
});

test("A backup of a running service is a working ledger, and is never overwritten.", async () => {
  await answer("source", "create", "--name", "In the backup");
  const target = data.at("backup");
  const { files } = await answer("backup", "--to", target);
  assert.deepEqual(
    files.map(({ file }: { file: string }) => file),
    ["ledger.sqlite", "attempts.sqlite"],
  );
  assert.ok(files[0].bytes > 0 && files[0].counts.sources > 0);
  assert.ok(!existsSync(`${target}/ledger.sqlite.unfinished`));
  for (const path of ["/proc/none", `${target}/ledger.sqlite/below`]) {
    const { code, stderr } = await run("backup", "--to", path);
    assert.equal(code, 1);
    assert.match(stderr, /^--to \S+ is not a folder and cannot be created \(E[A-Z]+\)\.\n$/);
  }
  const nowhere = await headwaterHere({ DATA_DIR: "/proc/none" }, "restore", "--from", target);
  assert.deepEqual([nowhere.code, /^DATA_DIR \S+ is not a folder/.test(nowhere.stderr)], [78, true]);
  const again = await run("backup", "--to", target);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /already exists/);

  const restored = await headwaterHere({ DATA_DIR: target }, "source", "list", "--json");
  assert.deepEqual(restored.json(), await answer("source", "list"));
  const other = await serve({ DATA_DIR: target });
  const response = await fetch(`${other.url}/api/organizations`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.deepEqual([response.status, other.firstStart], [200, null]);
  assert.equal(await other.stop(), 0);
});
