/** The flags of all countries. Each is a small file of its own, which the page requests when it shows the flag. */

/** Set by the build (`build.js`), which puts the files beside the scripts. */
declare const FLAG_VERSION: string;
declare const FLAG_CODES: string;

const CODES = new Set(FLAG_CODES.split(" "));
const FOLDER = import.meta.url;

/** @returns the address of the flag of a country (ISO 3166-1); undefined: there is none */
export const flagOf = (country: string): string | undefined =>
  CODES.has(country) ? new URL(`flag-${FLAG_VERSION}-${country}.svg`, FOLDER).href : undefined;
