/** The command line without a service: help, usage errors, settings, and what commands do to a folder. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { headwater as program } from "../../src/cli/command-table.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { isPlausibleToken, makeToken } from "../../src/core/token.ts";
import { folder, headwater, headwaterHere } from "./command-line.ts";

const COMMANDS = [
  "serve",
  "sign-in",
  "token",
  "token generate",
  "token create",
  "token list",
  "token revoke",
  "source",
  "source create",
  "source list",
  "source update",
  "source install",
  "member",
  "member list",
  "member add",
  "member role",
  "member remove",
  "workspace",
  "workspace list",
  "workspace create",
  "doctor",
  "config",
  "lists",
  "accept-clock",
  "backup",
  "restore",
  "move-warehouse",
  "check-warehouse",
  "migrate",
  "mcp",
  "plan",
  "plan propose",
  "plan pull",
  "plan push",
  "plan check",
  "plan types",
  "seed",
  "demo",
];

test("The process prints the result of a command, and exits with its code.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.at("none") };
  for (const words of [["config"], ["token"], ["token", "list"], ["config", "--json"]]) {
    const { code, stdout, stderr } = await headwaterHere(settings, ...words);
    const ended = await headwater(settings, ...words);
    assert.deepEqual([ended.code, ended.stdout, ended.stderr], [code, stdout, stderr], words.join(" "));
  }
});

describe("help", () => {
  test("Every command has a help text, with its options.", async () => {
    using data = folder();
    const settings = { DATA_DIR: data.at("none") };
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await headwaterHere(settings, ...command.split(" "), "--help");
      assert.deepEqual([code, stderr], [0, ""], command);
      assert.ok(stdout.includes(`Usage: npx headwater ${command}`), stdout);
      assert.equal(stripVTControlCharacters(stdout), stdout, "the help has no colours");
      const isGroup = COMMANDS.some((other) => other.startsWith(`${command} `));
      assert.match(stdout, isGroup ? /^Commands:$/m : /--json/);
    }
    assert.ok(!existsSync(data.at("none")));
  });

  test("The program has a help text and a version.", async () => {
    const { stdout } = await headwaterHere({}, "--help");
    for (const command of COMMANDS) assert.ok(stdout.includes(command.split(" ")[0]!), command);
    assert.equal((await headwaterHere({}, "help")).stdout, stdout);
    const ofCommand = await headwaterHere({}, "token", "create", "--help");
    assert.equal((await headwaterHere({}, "help", "token", "create")).stdout, ofCommand.stdout);
    assert.match((await headwaterHere({}, "--version")).stdout, /^\d+\.\d+\.\d+(?: \(.+\))?\n$/);
    assert.match((await headwaterHere({}, "--version", "--json")).json().version, /^\d+\.\d+\.\d+$/);
  });
});

describe("usage", () => {
  const cases: [string, RegExp][] = [
    ["", /^Missing command\. Available commands: serve, sign-in, token/],
    ["token", /^Missing command\. Available commands: generate, create/],
    ["tokn list", /^Unknown command "tokn"\. Available commands: serve/],
    ["token list --organisation x", /^Unknown option --organisation\. Run `npx headwater token list --help`/],
    ["token list --organization", /^--organization needs a value/],
    ["token list --organization --json", /^.*--organization needs a value/],
    ["token list --json=yes", /--json takes no value/],
    ["token list now", /^Unexpected argument "now"\./],
    ["token revoke", /^Missing argument <token>\. Run `npx headwater token revoke --help`/],
    ["token create --label x", /^Give one of --account .*--source .*--owner/],
    ["token create --account x --owner", /^Give one of --account .*--source .*--owner/],
    ["token create --account x --user x", /^--user needs --owner/],
    ["token create --account x", /^Missing option --label/],
    ["token create --account x --label x --scope ingest", /^--scope needs --source/],
    ["token create --owner --source src_1", /^Give one of --account .*--source .*--owner/],
    ["source create", /^Missing option --name <text>\. Run `npx headwater source create --help`/],
    ["source create --name a --name b", /^--name was given more than once/],
    ["source install src_1 --framework cobol", /^--framework must be one of html, react, nextjs/],
    ["source update", /^Missing argument <source>\. Run `npx headwater source update --help`/],
    ["source update src_1", /^Nothing to change: .*`npx headwater source update --help`/],
    ["source update src_1 --active yes", /^--active must be one of on, off/],
    ["member add", /^Missing option --role/],
    ["member add --role viewer", /^Give --name .* or --user/],
    ["member add --role viewer --name x --user x", /^Give --name .* or --user/],
    ["member add --role boss", /^--role must be one of viewer, developer, admin, owner/],
    ["member role usr_1 boss", /^<role> must be one of viewer, developer, admin, owner/],
    ["source install src_1 --proxy apache", /^--proxy must be one of nextjs, nginx, caddy, cloudflare/],
    ["source install src_1 --path /../x", /^--path cannot be "\/\.\.\/x": it must be a path of letters/],
    ["doctor", /^Missing argument <url>\. Run `npx headwater doctor --help`/],
    ["doctor http://shop.example", /^Missing option --key <pk_…>\. Run `npx headwater doctor --help`/],
    ["doctor shop.example --key pk_1", /^<url> must be an address such as https:\/\/shop\.example\//],
    ["doctor http://shop.example --key pk_1 --api x", /^--api must be an address such as/],
    ["backup", /^Missing option --to/],
  ];
  for (const [words, sentence] of cases) {
    test(`\`headwater ${words}\` exits with 64 and a message.`, async () => {
      using data = folder();
      const given = words.split(" ").filter(Boolean);
      const { code, stdout, stderr } = await headwaterHere({ DATA_DIR: data.at("none") }, ...given);
      assert.deepEqual([code, stdout], [64, ""]);
      const message = stderr.startsWith("{") ? JSON.parse(stderr).message : stderr;
      assert.match(message, sentence);
      assert.ok(!existsSync(data.at("none")), "no folder is created");
    });
  }
});

test("A DATA_DIR that cannot be read is reported as unreadable, not as empty.", async () => {
  using data = folder();
  // as root every folder can be read, except at the end of a circle of links
  symlinkSync(data.at("circle"), data.at("circle"));
  const { code, stderr } = await headwaterHere({ DATA_DIR: data.at("circle") }, "source", "list");
  assert.equal(code, 1);
  assert.match(stderr, /^DATA_DIR \S+ cannot be read \(ELOOP\)\. Run the command as the service's user\.\n$/);
});

describe("settings", () => {
  test("An invalid setting exits with 78 and a message that names it.", async () => {
    for (const command of ["config", "serve", "token list", "migrate", "backup --to x"]) {
      const { code, stdout, stderr } = await headwaterHere({ PORT: "99999" }, ...command.split(" "));
      assert.deepEqual([code, stdout], [78, ""]);
      assert.match(stderr, /^PORT cannot be "99999": it must be a whole number from 0 to 65535\.\n$/);
    }
  });

  test("A DATA_CENTRES_FILE or REFERRER_SPAM_FILE that cannot be read or parsed exits with 78.", async () => {
    using data = folder();
    writeFileSync(data.at("list"), "# both files have comments\nhttps://spam.example/\n");
    const refused = [
      [
        "DATA_CENTRES_FILE",
        "list",
        /: it must list addresses and CIDR ranges; "https:\/\/spam.example\/" is neither/,
      ],
      ["REFERRER_SPAM_FILE", "list", /: it must list host names; "https:\/\/spam.example\/" is not one/],
      ["DATA_CENTRES_FILE", "missing", /: it must be the path of a readable text file/],
      ["REFERRER_SPAM_FILE", ".", /: it must be the path of a readable text file/],
    ] as const;
    for (const [setting, name, sentence] of refused) {
      const { code, stderr } = await headwaterHere({ [setting]: data.at(name) }, "config");
      assert.deepEqual([code, stderr.startsWith(`${setting} cannot be `)], [78, true], stderr);
      assert.match(stderr, sentence);
    }
  });

  test("The message about an invalid setting does not repeat a password.", async () => {
    const { code, stderr } = await headwaterHere({ BASE_URL: "https://hw:Xy7-secret@hw.example" }, "config");
    assert.equal(code, 78);
    assert.match(stderr, /^BASE_URL cannot be the given value: it must be an http or https address without/);
  });

  test("With --json the error message is in an object.", async () => {
    const { code, stderr } = await headwaterHere({ PORT: "x" }, "config", "--json");
    assert.equal(code, 78);
    const { ok, message } = JSON.parse(stderr);
    assert.equal(ok, false);
    assert.match(message, /^PORT cannot be "x"/);
  });

  test("NAME and NAME_FILE exclude each other; NAME_FILE alone is read.", async () => {
    using data = folder();
    writeFileSync(data.at("port"), "1234\n");
    const both = await headwaterHere({ PORT: "1", PORT_FILE: data.at("port") }, "config");
    assert.deepEqual([both.code, both.stderr], [78, "Set PORT or PORT_FILE, not both.\n"]);
    const { json } = await headwaterHere({ PORT_FILE: data.at("port") }, "config", "--json");
    assert.equal(json().settings.find(({ name }: { name: string }) => name === "PORT").value, "1234");
  });

  test("An empty setting has its default.", async () => {
    const { code, json, stderr } = await headwaterHere(
      { PORT: "", PORT_FILE: "", OWNER_TOKEN: "" },
      "config",
      "--json",
    );
    assert.deepEqual([code, stderr], [0, ""]);
    const shown = json().settings.filter(({ name }: { name: string }) => /^(PORT|OWNER_TOKEN)$/.test(name));
    assert.deepEqual(
      shown.map(({ value, changed }: { value: string; changed: boolean }) => [value, changed]),
      [
        ["8790", false],
        ["", false],
      ],
    );
  });

  test("An OWNER_TOKEN of Headwater's format with a wrong checksum is refused.", async () => {
    using data = folder();
    const { token } = makeToken();
    for (const wrong of [
      token.slice(0, -1) + (token.endsWith("0") ? "1" : "0"),
      `${token}x`,
      token.slice(0, -1),
    ]) {
      const { code, stderr } = await headwaterHere(
        { OWNER_TOKEN: wrong, DATA_DIR: data.at("none") },
        "serve",
      );
      assert.equal(code, 78);
      assert.match(
        stderr,
        /^OWNER_TOKEN cannot be the given value: it starts with hwt_ but has a wrong checksum/,
      );
      assert.ok(!stderr.includes(wrong));
    }
    assert.equal((await headwaterHere({ OWNER_TOKEN: token }, "config")).code, 0);
    assert.equal((await headwaterHere({ OWNER_TOKEN: "x".repeat(32) }, "config")).code, 0);
  });

  test("`config` shows every setting and no secrets.", async () => {
    const secret = "a-token-that-nobody-should-see-0123456789";
    const { stdout } = await headwaterHere({ OWNER_TOKEN: secret }, "config");
    for (const name of Object.keys(SETTINGS)) assert.ok(stdout.includes(name), name);
    assert.ok(!stdout.includes(secret));
    assert.match(stdout, /^\* {2}OWNER_TOKEN +\(set\)/m);
    const { json } = await headwaterHere({ OWNER_TOKEN: secret }, "config", "--json");
    assert.deepEqual(
      json().settings.map(({ name }: { name: string }) => name),
      Object.keys(SETTINGS),
    );
    assert.ok(!JSON.stringify(json()).includes(secret));
  });

  test("The table of docs/operate/commands.md has every command.", () => {
    const page = readFileSync(new URL("../../../../docs/operate/commands.md", import.meta.url), "utf8");
    const rows = page.match(/^\| `.*? \|/gm) ?? [];
    const named = rows.flatMap((row) => [...row.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name));
    assert.deepEqual(named.toSorted(), Object.keys(program.commands).toSorted());
  });

  test("docs/operate/settings.md has the table of settings that `config --markdown` prints.", async () => {
    const { stdout } = await headwaterHere({}, "config", "--markdown");
    const page = readFileSync(new URL("../../../../docs/operate/settings.md", import.meta.url), "utf8");
    assert.ok(page.includes(stdout.trim()), "replace the table in docs/operate/settings.md by that output");
  });

  test("`config --markdown` prints the same table on every machine.", async () => {
    const here = await headwaterHere({ PORT: "1" }, "config", "--markdown");
    const there = await headwaterHere({ PORT: "wrong" }, "config", "--markdown");
    assert.equal(here.stdout, there.stdout);
    assert.equal(here.stdout.trim().split("\n").length, Object.keys(SETTINGS).length + 2);
    assert.match(here.stdout, /^\| `PORT` \| `8790` \| /m);
  });
});

test("`token generate` prints a token and stores nothing.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.at("none") };
  const [first, second] = await Promise.all([1, 2].map(() => headwaterHere(settings, "token", "generate")));
  assert.ok(isPlausibleToken(first!.stdout.trim()));
  assert.notEqual(first!.stdout, second!.stdout);
  const { json } = await headwaterHere(settings, "token", "generate", "--json");
  assert.ok(isPlausibleToken(json().token));
  assert.ok(!existsSync(data.at("none")));
});

test("Without a ledger, commands fail and do not create one.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.at("none") };
  for (const command of ["token list", "source list", "member list", "workspace list", "backup --to x"]) {
    const { code, stdout, stderr } = await headwaterHere(settings, ...command.split(" "));
    assert.deepEqual([code, stdout], [1, ""], command);
    assert.match(stderr, /^There is no ledger in DATA_DIR .*none\. Set DATA_DIR/);
    assert.doesNotMatch(stderr, /\n {4}at /, "no stack is printed");
  }
  assert.ok(!existsSync(data.at("none")));
  const debug = await headwaterHere({ ...settings, LOG_LEVEL: "debug" }, "token", "list");
  assert.match(debug.stderr, /\n {4}at /, "LOG_LEVEL=debug prints a stack");
});

describe("migrate", () => {
  test("It migrates a ledger to the newest schema; a second run changes nothing.", async () => {
    using data = folder();
    const settings = { DATA_DIR: data.at("data") };
    const { json } = await headwaterHere(settings, "migrate", "--json");
    assert.equal(json().from, 0);
    assert.ok(json().to >= 1);
    const again = await headwaterHere(settings, "migrate");
    assert.match(again.stdout, /already has the newest schema/);
    const empty = await headwaterHere(settings, "source", "list");
    assert.deepEqual([empty.code, empty.stdout], [1, ""]);
    assert.match(empty.stderr, /no workspace yet.*headwater serve/);
    assert.match(
      (await headwaterHere(settings, "workspace", "list")).stdout,
      /^No workspaces yet\. Run `npx headwater serve`/,
    );
  });

  test("A new DATA_DIR is readable by its owner only; an existing one keeps its mode.", async () => {
    using data = folder();
    const modeOf = (name: string) => statSync(data.at(name)).mode & 0o777;
    mkdirSync(data.at("there"));
    const before = modeOf("there");
    await headwaterHere({ DATA_DIR: data.at("there") }, "migrate");
    await headwaterHere({ DATA_DIR: data.at("new/data") }, "migrate");
    assert.deepEqual([modeOf("there"), modeOf("new/data")], [before, 0o700]);
  });

  test("A ledger with a newer schema is refused.", async () => {
    using data = folder();
    const settings = { DATA_DIR: data.path };
    await headwaterHere(settings, "migrate");
    const ledger = new DatabaseSync(data.at("ledger.sqlite"));
    ledger.exec("pragma user_version = 99");
    ledger.close();
    for (const command of ["migrate", "token list", "serve"]) {
      const { code, stderr } = await headwaterHere({ ...settings, PORT: "0" }, ...command.split(" "));
      assert.equal(code, 78);
      assert.match(stderr, /^The ledger has schema 99, .*newer Headwater/);
    }
  });

  test("A file that is not a ledger is reported with its folder and name.", async () => {
    using data = folder();
    mkdirSync(data.at("data"));
    writeFileSync(data.at("data/ledger.sqlite"), "not a database at all, but a text of some length");
    for (const command of ["migrate", "token list"]) {
      const { code, stderr } = await headwaterHere({ DATA_DIR: data.at("data") }, ...command.split(" "));
      assert.equal(code, 78);
      assert.match(
        stderr,
        /^DATA_DIR .* cannot be used: ledger\.sqlite is damaged \(file is not a database\)\. .*\.\n$/,
      );
    }
  });
});
