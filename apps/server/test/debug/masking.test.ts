/** What the debug history masks, row by row, and ordinary traffic that it leaves as it is. */
import { equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { snapshotOf } from "../../src/debug/snapshot.ts";
import { maskText } from "../../src/masking/mask.ts";

const LIMIT = 16_384;
const masked = (value: unknown) => JSON.parse(snapshotOf(JSON.stringify({ value }), LIMIT).json).value;
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";

/** A key of each kind, in pieces, so that no scanner takes this file for a leak. */
const key = (...pieces: string[]) => pieces.join("");
const R = (length: number) => "4eC39HqLyjWDarjtT1zdp7dcQ2xV8bN5mK0sG6fP".repeat(4).slice(0, length);
const HEX = (length: number) => "9fceb02d0ae598e95dc970b74767f193".repeat(4).slice(0, length);

/** A string in a body, and how it is recorded. */
const STRINGS: readonly [string, string][] = [
  ["https://a.example/cb?code=4/0AX4Xf&state=xyz#x", "https://a.example/cb?code=[masked]&state=[masked]#x"],
  ["/cb?state=7d1f0c2b9a8e4f60", "/cb?state=[masked]"],
  ["/go?next=%2Fcb%3Fcode%3DSplxlOBeZQ%26a%3D1", "/go?next=%2Fcb%3Fcode%3D[masked]%26a%3D1"],
  ["/a?PHPSESSID=abc&x=1", "/a?PHPSESSID=[masked]&x=1"],
  ["/a?csrf=abc&ccnum=42", "/a?csrf=[masked]&ccnum=[masked]"],
  ["/a?sessionid=abc&pin=1234", "/a?sessionid=[masked]&pin=[masked]"],
  ["/a?pan=1&cc=2&spin=3", "/a?pan=[masked]&cc=[masked]&spin=3"],
  ["/a?data={%22password%22:%22x%22}&b=1", '/a?data={"password":"[masked]"}&b=1'],
  ["/a?data=%7B%22pin%22%3A%221%22%7D", '/a?data={"pin":"[masked]"}'],
  ["/a?data=%7B%22plan%22%3A%221%22%7D", "/a?data=%7B%22plan%22%3A%221%22%7D"],
  [`jwt in text: ${JWT}!`, "jwt in text: [masked]!"],
  ["Authorization: Bearer x", "Authorization: Bearer [masked]"],
  ["curl -H 'authorization: Basic dTpw' /a", "curl -H 'authorization: Basic [masked]' /a"],
  ["sent Bearer abc123def456 to it", "sent Bearer [masked] to it"],
  ["paid with 4111 1111 1111 1111.", "paid with [masked]."],
  ["card:\n5500-0000-0000-0004", "card:\n[masked]"],
  ["amex 378282246310005 ok", "amex [masked] ok"],
  ["/a?n=4111+1111+1111+1111", "/a?n=[masked]"],
  ["4111\\u00a01111\\u00a01111\\u00a01111", "[masked]"],
  ["4111&nbsp;1111&nbsp;1111&#160;1111", "[masked]"],
  ['to "bob smith"@mail.example now', "to [email] now"],
  ["to bob＠mail.example", "to [email]"],
  ["to bob&#64;mail.example", "to [email]"],
  ["to bob&commat;mail.example", "to [email]"],
  ["to b\u200bob@mail.example", "to [email]"],
  ...`ann@xn--bcher-kva.xn--p1ai ann@почта.рф ann@例え.みんな ann@भारत.भारत ann%40mail%2Eexample ann%2540m%25C3%25BCller.de ann@2x.com ann@1.dev
ann@mail.example.png ann@mail.com.2026.pdf ann@mail.com-old ann@mail.com_1 ann@163.com ann@mail.zip ann@mail.md`
    .split(/\s/)
    .map((address): [string, string] => [`/u/${address}?x=1`, "/u/[email]?x=1"]),
  ["ann&#64;mail&#46;example, a@ann@mail.example", "[email], a@[email]"],
  ["ann@mail。example", "[email]。example"],
  [`ｈｗｔ＿${R(36)}`, "[masked]"],
  [`${key("h", "wt_")}4eC39HqL\u200b${R(36)}`, "[masked]"],
];

const NAMES = `sessionid sessionID session_id PHPSESSID JSESSIONID ASP.NET_SessionId csrf csrfToken xsrf pin PIN pan cc ccnum cc_num
  passwort Passwort contraseña Contraseña contrasena motDePasse mot_de_passe senha minhaSenha mdp wachtwoord kennwort
  lösenord passord adgangskode salasana hasło heslo şifre пароль 密码 パスワード
  pinCode user_pin userPin mfaCode totp totp_code recoveryCode backup_codes mnemonic seedPhrase oobCode codeVerifier deviceCode clave
  mi_clave 비밀번호 密碼 패스워드 暗証番号 пароля лозинка lozinka jelszó parola geslo mật_khẩu كلمة_المرور סיסמה पासवर्ड รหัสผ่าน user_pw`;

/** Bodies that are not JSON. */
const TEXTS: readonly [string, string][] = [
  [
    "<login><Password>a&lt;b</Password><user>u</user></login>",
    "<login><Password>[masked]</Password><user>u</user></login>",
  ],
  ['<s:pin type="n"><![CDATA[12]]></s:pin><a/>', '<s:pin type="n">[masked]</s:pin><a/>'],
  ["<token/><name>x</name><secret>cut of", "<token/><name>x</name><secret>[masked]"],
  [
    '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\nx\r\ny\r\n--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nz\r\n--b--',
    '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n[masked]\n--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nz\r\n--b--',
  ],
  [
    '--b\nContent-Disposition: form-data; name="pin"; filename="p.txt"\nContent-Type: text/plain\n\n1234\n--b--',
    '--b\nContent-Disposition: form-data; name="pin"; filename="p.txt"\nContent-Type: text/plain\n\n[masked]\n--b--',
  ],
  [`t ${JWT} 4111111111111111`, "t [masked] [masked]"],
  ['x "4111", "1111", "1111", "1111" y', 'x "[masked]" y'],
  ["a=1&code=Splxl0BeZQ&state=x", "a=1&code=[masked]&state=[masked]"],
];

/** Ordinary traffic. */
const KEPT: readonly unknown[] = [
  { sessionId: "ses_019aa3f2c1d400112233445566778899", anonymousId: "0b2c4d5e-1111-4222-8333-444455556666" },
  "https://shop.example/?code=DE&state=CA&utm_source=news&gclid=Cj0KCQiA3sq6BhD2ARIsAJ8MRwVQx4x7",
  "https://shop.example/search?q=%22red%20shoes%22&filter={size:42}&tags[]=a",
  { code: "SUMMER2026", state: "California", postcode: "10115", pinned: true, spin: 1, company: "Acme" },
  { shipping: "express", japan: 1, account: "a", accent: "b", panorama: 2, pin_color: "red", campaign: "c" },
  { hasLocation: true, processId: 7, businessId: 8, isDone: true, passenger: "Ann", authority: "x" },
  { orderId: 4567890123456, ms: 1732290168441, us: 1732290168441123, phone: "+49 151 1234 5678" },
  "order 4111111111111112, EAN 4006381333931, 2026-11-22 15:02:48.441, 52.520008, 13.404954",
  "ids 550e8400-e29b-41d4-a716-446655440000 and a4111111111111111 and 12345678901234567890",
  "basic information about the bearer of news; authorization is required",
  "GA1.1.1234567890.1700000000",
  { version: "4.12.1-beta.3+20261128", commit: "9fceb02d0ae598e95dc970b74767f19372d61af8", short: "9fceb02" },
  {
    publicKey: "pk_Zm9vYmFyYmF6cXV4MTIzNDU2",
    eventId: "evt_9fceb02d0ae598e95dc970b74767f193",
    order: "SK-2026-000123",
  },
  {
    stripe: `pk_live_${R(24)}`,
    sku: "key-ring-2026",
    slug: "sk-winter-collection-2026-shoes",
    css: "desk-lamp-with-arm",
  },
  { events: ["card:added", "auth:google", "token:refresh"], fields: ["password", "email", "first_name"] },
  { name: "Cookie jar", value: 12.5 },
  { name: "password_reset", value: "link" },
  { id: "passwordReset", text: "Reset it" },
  { name: "Password Reset", value: 3 },
  { id: "forgot_password", text: "Forgot?" },
  { type: "card", value: 12 },
  { type: "cookie_banner", text: "Accept" },
  { first: "Ann", second: "Lee", palabra_clave: "zapatos", map_pin: "x", countryCode: "DE", promoCode: "X1" },
  ...`Password: how to reset it|Cookie: policy|Password: Reset|Passwords: best practices|Password: at least 8 characters
Password: 8 characters minimum|Secret: a novel|PIN: how to change|Passwort: so setzen Sie es zurück|Mot de passe : comment le changer
Contraseña: cómo restablecerla|パスワード：リセット方法|密码：找回|비밀번호: 재설정 방법|[Guide] Password: how to reset it|"Quotes" Cookie: policy
Authorization: how it works|Authorization: Basic rules of it|Signature: the movie|user\tpassword|1.2.3.4.5.6.7.8.9.1.2.3.4.5.6.7
/blog?title=Password%3A%20how%20to%20reset%20it|/hooks/react-use-state|Tom &amp; Jerry &#8211; ＳＡＬＥ 👨‍👩‍👧`.split(
    /[|\n]/,
  ),
  [
    ["2026", "1128"],
    ["1", "2", "3"],
  ],
  { name: "add_to_cart", value: 12.5, key: "size", text: "Add" },
  "Gift cards: for everyone",
  "Signature dish: Pasta",
  "https://:@state=",
  "Reset your access: step 2",
  "npm_config_registry and npm_lifecycle_event of pypi-some-package-name",
  "Basic information about it, Basic training: 20 hours",
  "https://shop.example/a:b/@ann?x=https://b.example:8080/c",
  ...`/npm/react@18.2.0|/npm/react%4018.2.0/umd/react.min.js|lodash@4.17.21,vue@next,npm/jquery@3.7.1.min.js|pkg@18.x and pkg@1.x.x
@scope/name@1.2|next@15.0.0-canary.abc|spring@5.3.1.RELEASE|rails%2540v7.0.0.beta|pkg@^1.2|logo@2x.png?v=1|icon@3x.json|sprite@1.5x.min.css
Team A@B 3:2|owner/repo@main|owner/repo@release-1.x|actions/checkout@v4.1|medium.com/@ann.lee/post|HEAD@{1.day}|root@127.0.0.1|3@5.99|me@localhost|a@b@c`.split(
    /[|\n]/,
  ),
  "tel 0049-1511-2345-678, IP 192.168.100.200, ISBN 978-3-16-148410-0, 1111-2222-3333-4444",
  "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq\n-----END PUBLIC KEY-----",
  "日本語のタイトル：赤い靴、サイズ２６",
  "<p>The <b>shoes</b> of &lt;Ann&gt;</p>",
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.7444.175 Safari/537.36",
];

const KEYS: readonly string[] = [
  key("hwt", "_", R(36)),
  key("hwt", "_", R(36), ".lq3k2j1h.", R(43)),
  key("hwt", "_", R(12)),
  ...["sk_live", "sk_test", "rk_live", "sk_prod", "whsec"].map((head) => key(head, "_", R(24))),
  ...["ghp", "gho", "ghs", "ghu", "ghr"].map((head) => key(head, "_", R(36))),
  key("github", "_pat_", R(22), "_", R(59)),
  ...["glpat", "glrt", "gldt", "glptt"].map((head) => key(head, "-", R(20))),
  ...["AKIA", "ASIA"].map((head) => key(head, "IOSFODNN7EXAMPLE")),
  ...["xoxb", "xoxp", "xoxa", "xoxr", "xoxs"].map((head) => key(head, "-263594206564-", R(24))),
  key("xapp", "-1-A0263594-", R(24)),
  key("AI", "za", R(35)),
  key("ya", "29.", R(60)),
  key("GOC", "SPX-", R(28)),
  key("sk", "-", R(48)),
  key("sk", "-proj-", R(48)),
  key("sk", "-ant-api03-", R(90)),
  key("S", "G.", R(22), ".", R(43)),
  key("np", "m_", R(36)),
  key("py", "pi-AgEIcHlwaS5vcmc", R(60)),
  ...["dop", "doo", "dor"].map((head) => key(head, "_v1_", HEX(64))),
  ...["shpat", "shpca", "shppa", "shpss"].map((head) => key(head, "_", HEX(32))),
  key("ke", "y-", HEX(32)),
  key("EA", "AC", R(100)),
  key("S", "K", HEX(32)),
  key("h", "f_", "abcdefghijklmnopqrstuvwxyzABCDEFGH"),
  key("hv", "s.", R(95)),
  key("12345", "67890:AA", R(33)),
  key("M", R(23), ".", "Cl2FMQ", ".", R(30)),
  key("lin", "_api_", R(40)),
  key("LS0t", "LS1CRUdJTi", R(60)),
  key("HW", "T_", R(36).toUpperCase()),
  ...["vcp", "dckr_oat", "phx"].map((head) => key(head, "_", R(32))),
  ...["NRAK", "CFPAT", "nvapi"].map((head) => key(head, "-", R(27))),
  key("ATC", "TT3", R(60)),
  key("pa", "t", R(14), ".", HEX(64)),
  key(HEX(32), "-us", "12"),
];
const PEM = key(
  "-----BEGIN RSA ",
  "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\nq2wE9r==\n-----END RSA PRIVATE KEY-----",
);

/** Text that contains secrets; they are marked with ⟦ and ⟧. */
const PLACES: readonly string[] = [
  ...KEYS.flatMap((one) => [`⟦${one}⟧`, `key=⟦${one}⟧&x=1`, `see (⟦${one}⟧), please`, `/a/⟦${one}⟧/b`]),
  `⟦${PEM}⟧`,
  `k: ⟦${PEM.replaceAll("\n", "\\n")}⟧ end`,
  `⟦${PEM.slice(0, 60)}⟧`,
  `⟦${PEM.replace("RSA ", "").replace("RSA ", "")}⟧`,
  `⟦${PEM.replaceAll("RSA", "OPENSSH")}⟧`,
  `?k=⟦${encodeURIComponent(PEM)}⟧&b=1`,
  `⟦${PEM.replaceAll("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK")}⟧`,
  "postgres://⟦ann:p4ss⟧@db.example:5432/x",
  "mongodb+srv://⟦ann:p4%40ss⟧@db.example/x",
  "redis://⟦:p4ss⟧@cache.example and amqp://⟦a:b⟧@mq.example",
  "https://hooks.slack.com/services/⟦T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX⟧",
  "https://discord.com/api/webhooks/⟦1234567890/abcDEF-123_x⟧",
  "sent Basic ⟦YW5uOnA0c3M=⟧ to it",
  `jwt ⟦${JWT.replaceAll(".", "%2E")}⟧ and ⟦${JWT.replaceAll(".", "%252e")}⟧`,
  `/cb#t=⟦${[...JWT].map((char) => `%${char.charCodeAt(0).toString(16)}`).join("")}⟧`,
  `⟦${Buffer.from(JWT).toString("base64")}⟧`,
  "⟦4111–1111–1111–1111⟧, ⟦4111.1111.1111.1111⟧, ⟦4111\u00a01111\u00a01111\u00a01111⟧",
  "⟦4111\u200b1111\u200b1111\u200b1111⟧ ⟦4\u200b111111111111111⟧ ⟦4111\u20111111\u20111111\u20111111⟧",
  "⟦４１１１１１１１１１１１１１１１⟧ ⟦４１１１ １１１１ １１１１ １１１１⟧ ⟦4111 - 1111 - 1111 - 1111⟧",
  "⟦4111_1111_1111_1111⟧ ⟦4111/1111/1111/1111⟧ ⟦41111111 11111111⟧ ⟦3782·822463·10005⟧",
  "password: ⟦x⟧",
  "Password： ⟦hunter2⟧",
  "ｐａｓｓｗｏｒｄ：⟦x⟧",
  "login failed, password: ⟦correct horse battery⟧",
  "pwd=⟦x⟧ user=y",
  "{password: ⟦'x'⟧, user: 'y'}",
  "array('password' => ⟦'x'⟧)",
  'password="⟦x⟧"'.replace('"⟦x⟧"', '⟦"x"⟧'),
  "token: ⟦a1b2⟧",
  "cli --password ⟦hunter2⟧ --user ann",
  "<login><password>⟦x⟧</password><user>u</user></login>",
  "<s:Pin>⟦12⟧</s:Pin>",
  "&lt;password&gt;⟦x⟧&lt;/password&gt;",
  '<input type="password" name="p" value=⟦"x"⟧>',
  "<input value=⟦'x'⟧ name='card_number'/>",
  '<field name="password">⟦x⟧</field>',
  `glued⟦${key("h", "wt_")}${R(36)}⟧`,
  `api.telegram.org/bot⟦${key("123:", "AA", R(33))}⟧/getMe`,
  `https://hook.eu1.make.com/⟦${R(32)}⟧`,
  `https://maker.ifttt.com/trigger/order/with/key/⟦${R(22)}⟧`,
  "https://chat.example/hooks/⟦abcdefghij1234567890abcdef⟧",
  "curl -u bob:⟦hunter2⟧ https://a.example",
  "mysql -u root -p⟦hunter2⟧ shop",
  `⟦${key("PuTTY-User", "-Key-File-3: ssh-rsa\nPrivate-Lines: 1\nAAAAS3c\nPrivate-MAC: abcdef")}⟧`,
  "password: ⟦|\n  hunter2\n  again22⟧\nuser: bob",
  "db:\n  password:\n    ⟦hunter2⟧\n  user: bob",
  "user\tbob\npassword\t⟦hunter2⟧\nage\t7",
  "⟦4.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1⟧, ⟦4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1⟧",
  "Authorization：Basic ⟦xyz⟧",
  "Passwort: ⟦Sommerhaus⟧",
  "비밀번호: ⟦hunter2⟧",
  "token: ⟦qwhzkrtplmnb⟧",
  "api_key: ⟦qwerty⟧",
  "X-Api-Key: ⟦abcdef⟧",
  "?q=password%3A%20⟦hunter2⟧&b=1",
  "<key>password</key><string>⟦x⟧</string>",
];

/** Bodies with `S3cr3t!` as the value of a secret. */
const SHAPES: readonly unknown[] = [
  { name: "password", value: "S3cr3t!" },
  { key: "api_key", value: { stringValue: "S3cr3t!" } },
  { fieldName: "password", fieldValue: "S3cr3t!" },
  { Name: "Authorization", Value: ["S3cr3t!"] },
  { field: "ｐａｓｓｗｏｒｄ", value: "S3cr3t!" },
  { label: "Card number", id: "f1", value: "S3cr3t!" },
  [{ k: "pin", v: "S3cr3t!" }],
  [
    ["password", "S3cr3t!"],
    ["user", "ann"],
  ],
  ["Authorization", "S3cr3t!", "Accept", "*/*"],
  JSON.stringify({ a: [{ name: "password", value: "S3cr3t!" }] }),
  JSON.stringify(JSON.stringify([["token", "S3cr3t!"]])),
  { ｐａｓｓｗｏｒｄ: "S3cr3t!" },
  { "pass\u200bword": "S3cr3t!" },
  { 𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝: "S3cr3t!" },
  { xml: "<a><token>S3cr3t!</token></a>" },
  { type: "password", value: "S3cr3t!" },
  { first: "password", second: "S3cr3t!" },
  [key("-----BEGIN ", "PRIVATE KEY-----"), "S3cr3t!", "S3cr3t!==", key("-----END ", "PRIVATE KEY-----")],
  { key: [key("-----BEGIN RSA ", "PRIVATE KEY-----"), "S3cr3t!"] },
  { xml: "<a>&quot;password&quot;: &quot;S3cr3t!&quot;</a>" },
  { xml: "&#60;password&#62;S3cr3t!&#60;/password&#62;" },
  { xml: "<x>{&amp;quot;token&amp;quot;:&amp;quot;S3cr3t!&amp;quot;}</x>" },
  { form: '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\nS3cr3t!\r\n--b--' },
];

describe("masking", () => {
  for (const place of PLACES) {
    const secrets = [...place.matchAll(/⟦(.*?)⟧/gs)].map(([, secret = ""]) => secret);
    const text = place.replaceAll(/[⟦⟧]/g, "");
    it(`of the secret in ${JSON.stringify(place).slice(0, 90)}`, () => {
      const shown: string = masked(text);
      const rest = place.split(/⟦.*?⟧/s);
      for (const secret of secrets) {
        const core = secret.replaceAll(/["']/g, "");
        ok(core.length < 2 || !shown.includes(core), shown);
      }
      for (const part of rest)
        ok(shown.replaceAll(/["']/g, "").includes(part.replaceAll(/["']/g, "")), `${part}: ${shown}`);
      ok(shown.includes("[masked]"), shown);
      equal(masked(shown), shown, "masked once more");
      const raw = maskText(`{broken ${JSON.stringify(text)}`);
      for (const secret of secrets.filter(({ length }) => length > 5))
        ok(!raw.includes(JSON.stringify(secret).slice(1, -1)), raw);
    });
  }

  for (const shape of SHAPES)
    it(`of the value in ${JSON.stringify(shape).slice(0, 90)}`, () => {
      const shown = JSON.stringify(masked(shape));
      ok(!shown.includes("S3cr3t"), shown);
      ok(shown.includes("[masked]"), shown);
    });

  for (const [text, expected] of STRINGS) it(`of ${text}`, () => equal(masked(text), expected));

  for (const name of NAMES.split(/\s+/)) {
    it(`of the member ${name}`, () => {
      equal(masked({ [name]: 1234 })[name], "[masked]");
      const ascii = JSON.stringify({ [name]: "x1" }).replace(
        /[^\0-\x7f]/g,
        (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
      equal(JSON.parse(snapshotOf(ascii, LIMIT).json)[name], "[masked]", ascii);
    });
  }

  it("of a card number in a list of its groups", () => {
    for (const groups of [
      ["4111", "1111", "1111", "1111"],
      [4111, 1111, 1111, 1111],
    ])
      ok(!JSON.stringify(masked({ groups })).includes("1111"));
  });

  it("of a card number that is a number", () => equal(masked({ n: 4_111_111_111_111_111 }).n, "[masked]"));

  for (const [text, expected] of TEXTS) it(`of the text ${text}`, () => equal(maskText(text), expected));

  for (const value of KEPT)
    it(`leaves ${JSON.stringify(value)}`, () => equal(JSON.stringify(masked(value)), JSON.stringify(value)));

  const WORST = [
    ..."-----BEGIN ,://a:,://a:b@,sk_live_,basic aaaa,&lt;pin&gt;,</a><b>,--token x ,password: x ,password\tx\n,password:|\n ,curl -u a:b ,mysql -p,redis-cli ,&quot;,&amp;,4 ,4.,%25,%253A%252F,".split(
      ",",
    ),
    ...'hooks.slack.com/services/,AKIA,token ,"pin",-,1:AA,Nabc.,%4,４,４\u200b,\u3000,<a name=pin value=x '.split(
      ",",
    ),
    ...'-----BEGIN PRIVATE KEY |"4", |"a b"@c |PuTTY-User-Key-File-3|| |>\n |password:|\n |password: how |Cookie: a |pin%3A|password: >\n'.split(
      "|",
    ),
  ].filter((piece) => piece !== "");
  it("does not take a time that grows with the square of the text", () => {
    const pieces = [
      "=",
      "code=",
      "state=a&",
      "a={",
      "%3d",
      "eyJaaaaa",
      "eyJaaaaa.",
      "bearer ",
      "authorization:a",
    ];
    for (const piece of [...pieces, "<pin ", "<pin>", 'name="pin"\n', "4 ", "4%20", "{%22", ...WORST]) {
      const text = piece.repeat(250_000 / piece.length);
      maskText(text);
      masked(text.slice(0, LIMIT - 100));
    }
  });
});
