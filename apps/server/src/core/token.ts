/**
 * Access tokens as text (docs/api/access.md): `hwt_`, 30 random base62 characters, and 6 base62 characters with the
 * CRC-32 of both. The checksum finds a typo without a look-up. Only the SHA-256 of a token is stored.
 */
import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

export const TOKEN_PREFIX = "hwt_";
/** 30 characters of 62 have 178 bits. */
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SHAPE = new RegExp(`^${TOKEN_PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);
/** The largest multiple of 62 that a byte can hold. Larger bytes are skipped, because they would favour some characters. */
const UNBIASED = 256 - (256 % ALPHABET.length);

/** An `OWNER_TOKEN` that the operator chose (docs/api/access.md). */
const ANY_TOKEN = /^[\x21-\x7e]{32,256}$/;

function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < UNBIASED && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let at = 0; at < CHECKSUM_LENGTH; at += 1) {
    digits = ALPHABET[rest % ALPHABET.length] + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

interface NewToken {
  /** The token itself, which is shown once and never stored. */
  readonly token: string;
  readonly hash: string;
  readonly hint: string;
}

export const hashToken = (token: string): string => createHash("sha256").update(token).digest("hex");

/** A code that a link carries. Only its hash is stored. */
export function makeCode() {
  const code = randomBytes(24).toString("base64url");
  return { code, codeHash: hashToken(code) };
}

/** The part of a token that lists show later: its last 4 characters. */
export const hintOf = (token: string): string => token.slice(-4);

export function makeToken(): NewToken {
  const random = TOKEN_PREFIX + randomText(RANDOM_LENGTH);
  const token = random + checksum(random);
  return { token, hash: hashToken(token), hint: hintOf(token) };
}

/** Whether the text can be a token. A token with our prefix must have the right checksum. */
export function isPlausibleToken(text: string): boolean {
  if (!text.startsWith(TOKEN_PREFIX)) return ANY_TOKEN.test(text);
  return SHAPE.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** Three segments, the first a JSON object: `{"` in base64 is `ey`. An `OWNER_TOKEN` may contain dots too. */
const JWT_SEGMENTS = /^ey[\w-]*\.[\w-]+\.[\w-]+$/;

export const looksLikeJwt = (token: string): boolean => JWT_SEGMENTS.test(token);
