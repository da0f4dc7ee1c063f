/** Fifty places of an address, a referrer and a title with a secret in each. No secret occurs in another place. */

const ORIGIN = "https://shop.example";
const OTHER = "https://mail.example";

const jwt = (name: string) => `eyJhbGciOiJIUzI1NiJ9.eyJ${name}In0.c2ln${name}`;

interface PlantedPage {
  readonly url: string;
  readonly title?: string;
  readonly path?: string;
  readonly referrer?: string;
}

/** The text that must not be found, and the page that holds it. */
interface PlantedSecret {
  readonly secret: string;
  readonly page: PlantedPage;
}

const inUrl = (secret: string, rest: string): PlantedSecret => ({ secret, page: { url: ORIGIN + rest } });
const inPath = (secret: string, path: string): PlantedSecret => ({
  secret,
  page: { url: `${ORIGIN}/app`, path },
});
const inTitle = (secret: string, title: string): PlantedSecret => ({
  secret,
  page: { url: `${ORIGIN}/titled`, title },
});
const inReferrer = (secret: string, referrer: string): PlantedSecret => ({
  secret,
  page: { url: `${ORIGIN}/referred`, referrer },
});

export const PLANTED_SECRETS: readonly PlantedSecret[] = [
  inUrl("anna01", "/welcome?email=anna01@mail.example"),
  inUrl("anna02", "/welcome?utm_content=anna02%40mail.example"),
  inUrl("anna03", "/users/anna03@mail.example/profile"),
  inUrl("anna04", "/#/invite?to=anna04%2540mail.example"),
  inUrl("Tok05xyz", "/reset?token=Tok05xyz"),
  inUrl("Tok06xyz", "/cb?a=1&access_token=Tok06xyz&b=2"),
  inUrl("Tok07xyz", "/cb#access_token=Tok07xyz&expires_in=3600"),
  inUrl("Tok08xyz", "/cb?next=%2Freset%3Ftoken%3DTok08xyz%26a%3D1"),
  inUrl("Tok09xyz", "/login?PASSWORD=Tok09xyz"),
  inUrl("Tok10xyz", "/login?user%5Bpassword%5D=Tok10xyz"),
  inUrl("Tok11xyz", "/cb?code=Tok11xyz&state=Tok11xyz"),
  inUrl("st12xyz9", "/cb?state=st12xyz9"),
  inUrl("Key13xyz", "/order?key=Key13xyz"),
  inUrl("Key14xyz", "/order?reset_key=Key14xyz"),
  inUrl("Sig15xyz", "/file?X-Amz-Signature=Sig15xyz"),
  inUrl("Sig16xyz", "/file?sig=Sig16xyz"),
  inUrl("Ses17xyz", "/shop;jsessionid=Ses17xyz"),
  inUrl("Ses18xyz", "/shop?PHPSESSID=Ses18xyz"),
  inUrl("Ses19xyz", "/shop?sid=Ses19xyz"),
  inUrl("Ses20xyz", "/shop?sessionId=Ses20xyz"),
  inUrl("Jwt21", `/sso/${jwt("Jwt21")}`),
  inUrl("Jwt22", `/sso?x=${jwt("Jwt22")}`),
  inUrl("Jwt23", `/sso#${jwt("Jwt23")}`),
  inUrl("4111111111111111", "/pay?n=4111111111111111"),
  inUrl("5500-0000-0000-0004", "/pay/5500-0000-0000-0004"),
  inUrl("Rst26aB9kx0", "/reset-password/Rst26aB9kx0"),
  inUrl("Rst27aB9kx0", "/verify-email/MTI/Rst27aB9kx0/"),
  inUrl("Pin28xyz", "/x?data=%7B%22password%22%3A%22Pin28xyz%22%7D"),
  { secret: "Usr29xyz", page: { url: "https://ann:Usr29xyz@shop.example/x" } },
  inPath("anna30", "/users/anna30@mail.example"),
  inPath("Rst31aB9kx0", "/invite/Rst31aB9kx0?token=Rst31aB9kx0"),
  inTitle("anna32", "Inbox (3) - anna32@mail.example - Mail"),
  inTitle("Jwt33", `Debug ${jwt("Jwt33")}`),
  inTitle("378282246310005", "Paid with 378282246310005"),
  inTitle("Tok35xyz", "Sign in ?token=Tok35xyz"),
  inReferrer("anna36", `${OTHER}/compose?to=anna36@mail.example`),
  inReferrer("Tok37xyz", `${OTHER}/cb?id_token=Tok37xyz`),
  inReferrer("Rst38aB9kx0", `${OTHER}/magic-link/Rst38aB9kx0`),
  { secret: "Usr39xyz", page: { url: `${ORIGIN}/y`, referrer: "https://ann:Usr39xyz@mail.example/y" } },
  inReferrer("Jwt40", `${OTHER}/#${jwt("Jwt40")}`),
  inUrl("Hwt41aB9kx0", `/x?a=${"hwt"}_Hwt41aB9kx0${"0".repeat(25)}`),
  inUrl("Key42aB9kx0", `/x/${"sk"}_live_Key42aB9kx0${"0".repeat(13)}/y`),
  inUrl("Jwt43", `/sso?x=${jwt("Jwt43").replaceAll(".", "%252E")}`),
  inUrl("AKIAKEY44B9KX0ABCDEF", "/x#AKIAKEY44B9KX0ABCDEF"),
  inUrl("Fw45xyz", `/x?${encodeURIComponent("ｐａｓｓｗｏｒｄ")}=Fw45xyz`),
  inUrl("Db46xyz", "/x?db=postgres%3A%2F%2Fann%3ADb46xyz%40db.example%2Fx"),
  inUrl("4111%E2%80%931111", `/pay?n=${encodeURIComponent("4111–1111–1111–1111")}`),
  inTitle("Pw48xyz", "Saved. Password: Pw48xyz"),
  inTitle("Pem49xyz", `-----BEGIN ${"PRIVATE"} KEY----- Pem49xyz`),
  inReferrer("Hook50xyz", "https://hooks.slack.com/services/T0000/B0000/Hook50xyz"),
];

/** The planted secrets that a text contains, even in another encoding. */
export const foundIn = (text: string): string[] =>
  PLANTED_SECRETS.map(({ secret }) => secret).filter((secret) => text.includes(secret));
