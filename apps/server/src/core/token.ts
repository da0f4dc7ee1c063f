/**
 * Access tokens as text (CONTRACT section 3): `hwt_`, random base62, and a CRC-32 of both in 6 base62 characters,
 * so that a typo or a secret scanner needs no look-up. Only the SHA-256 is ever stored.
 */
import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

export const TOKEN_PREFIX = "hwt_";
/** 30 of 62: 178 bits. */
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SHAPE = new RegExp(`^${TOKEN_PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);
/** The largest multiple of 62 that a byte can hold; bytes beyond would favour some characters. */
const UNBIASED = 256 - (256 % ALPHABET.length);

/** An operator's own `OWNER_TOKEN` (CONTRACT section 3). */
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

export interface NewToken {
  /** Shown once. */
  readonly token: string;
  readonly hash: string;
  readonly hint: string;
}

export const hashToken = (token: string): string => createHash("sha256").update(token).digest("hex");

/** What may be shown of a token later: its last 4 characters. */
export const hintOf = (token: string): string => token.slice(-4);

export function makeToken(): NewToken {
  const random = TOKEN_PREFIX + randomText(RANDOM_LENGTH);
  const token = random + checksum(random);
  return { token, hash: hashToken(token), hint: hintOf(token) };
}

/** Can this text be a token at all? One of ours must carry the right checksum. */
export function isPlausibleToken(text: string): boolean {
  if (!text.startsWith(TOKEN_PREFIX)) return ANY_TOKEN.test(text);
  return SHAPE.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** The first of its three segments is a JSON object: `{"` in base64 is `ey`. An operator's own token may hold dots too. */
const JWT_SEGMENTS = /^ey[\w-]*\.[\w-]+\.[\w-]+$/;

export const looksLikeJwt = (token: string): boolean => JWT_SEGMENTS.test(token);
