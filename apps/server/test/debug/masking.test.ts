/** What the debug history masks, row by row, and ordinary traffic that it leaves as it is. */
import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { maskText } from "../../src/core/masking/mask.ts";
import { snapshotOf } from "../../src/debug/snapshot.ts";

const LIMIT = 16_384;
const masked = (value: unknown) => JSON.parse(snapshotOf(JSON.stringify({ value }), LIMIT).json).value;
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";

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
];

const NAMES = `sessionid sessionID session_id PHPSESSID JSESSIONID ASP.NET_SessionId csrf csrfToken xsrf pin PIN pan cc ccnum cc_num
  passwort Passwort contraseña Contraseña contrasena motDePasse mot_de_passe senha minhaSenha mdp wachtwoord kennwort
  lösenord passord adgangskode salasana hasło heslo şifre пароль 密码 パスワード`;

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
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.7444.175 Safari/537.36",
];

describe("masking", () => {
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

  it("of a card number that is a number", () => equal(masked({ n: 4_111_111_111_111_111 }).n, "[masked]"));

  for (const [text, expected] of TEXTS) it(`of the text ${text}`, () => equal(maskText(text), expected));

  for (const value of KEPT)
    it(`leaves ${JSON.stringify(value)}`, () => equal(JSON.stringify(masked(value)), JSON.stringify(value)));

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
    for (const piece of [...pieces, "<pin ", "<pin>", 'name="pin"\n', "4 ", "4%20", "{%22"]) {
      const text = piece.repeat(1_000_000 / piece.length);
      maskText(text);
      masked(text.slice(0, LIMIT - 100));
    }
  });
});
