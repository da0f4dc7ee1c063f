/** The flags of all countries. Each is a small file of its own, which the page requests when it shows the flag. */
/// <reference types="vite/client" />

const FLAGS: Readonly<Record<string, string>> = import.meta.glob(
  "../../../../../../node_modules/country-flag-icons/3x2/*.svg",
  { query: "?url&no-inline", import: "default", eager: true },
);
const FOLDER = Object.keys(FLAGS)[0]?.replace(/[^/]+$/, "") ?? "";

/** @returns the address of the flag of a country (ISO 3166-1); undefined: there is none */
export const flagOf = (country: string): string | undefined => FLAGS[`${FOLDER}${country}.svg`];
