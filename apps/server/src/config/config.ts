/** Reads the settings; no other code reads the environment. `NAME_FILE` names a file with the value of `NAME`. */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { OperatorError } from "../core/errors.ts";
import { findMisspelt } from "./misspelt.ts";
import { findConflict } from "./rules.ts";
import { type Config, SETTINGS, type Setting } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting has an unusable value. The message says what to change. */
export class ConfigError extends OperatorError {}

const rows = Object.entries<Setting<unknown>>(SETTINGS);

/** Shown instead of a secret. */
const HIDDEN_VALUE = "(set)";

/** @returns null for an empty value too, since compose files and unit files leave empty variables behind */
function readText(name: string, environment: Environment): string | null {
  const file = environment[`${name}_FILE`] || null;
  const value = environment[name] || null;
  if (file === null) return value;
  if (value !== null) throw new ConfigError(`Set ${name} or ${name}_FILE, not both.`);
  try {
    return readFileSync(file, "utf8").trim() || null;
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? error.code : error;
    throw new ConfigError(`${name}_FILE names ${file}, which cannot be read (${reason}).`);
  }
}

function readSetting(
  name: string,
  { parse, ...setting }: Setting<unknown>,
  environment: Environment,
): unknown {
  const value = readText(name, environment) ?? setting.default;
  try {
    return parse(value);
  } catch (error) {
    const isShown = !setting.secret && !URL.parse(value)?.password;
    const shown = isShown ? JSON.stringify(value) : "the given value";
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${name} cannot be ${shown}: it ${reason}.`);
  }
}

/** @throws ConfigError with a sentence that names the setting */
export function readConfig(environment: Environment): Config {
  const values = rows.map(([name, setting]) => [name, readSetting(name, setting, environment)]);
  // each value comes from the parser of its own setting
  const config = Object.fromEntries(values) as Config;
  const conflict = findConflict(config);
  if (conflict !== null) throw new ConfigError(conflict);
  return config;
}

/** The environment of this process. */
export const processEnvironment = (): Environment => process.env;

/** Sentences about names that are not settings and resemble one that is not set. Nothing reads them. */
export function misspeltSettings(environment: Environment): string[] {
  const names = rows.map(([name]) => name);
  return findMisspelt(environment, names).map(
    ({ name, meant }) => `${name} is not a setting. Did you mean ${meant}?`,
  );
}

/** Each setting as text, without secrets: for `headwater config`. */
export function describeSettings(environment: Environment) {
  return rows.map(([name, setting]) => {
    const value = readText(name, environment);
    const shown = value !== null && setting.secret ? HIDDEN_VALUE : (value ?? setting.default);
    return { name, value: shown, default: setting.default, help: setting.help, changed: value !== null };
  });
}

/** Each setting as text, without secrets and without paths of this machine: for support reports through the API. */
export function publicSettings(environment: Environment): Record<string, string> {
  const paths = new Set(rows.filter(([, { path }]) => path).map(([name]) => name));
  const shown = describeSettings(environment).map(({ name, value, changed }) => {
    return [name, changed && paths.has(name) ? HIDDEN_VALUE : value];
  });
  return Object.fromEntries(shown);
}

/** The names of the settings that are not at their defaults. */
export const changedSettings = (environment: Environment): string[] =>
  describeSettings(environment).flatMap(({ name, value, default: standard }) =>
    value === standard ? [] : [name],
  );

/** The address at which this machine reaches a service that listens there. */
export const localUrl = (host: string, port: number): string => urlOn(host, port, "localhost");

/** The address of this node among several. */
export const nodeUrl = (host: string, port: number): string => urlOn(host, port, hostname());

/** @param nameOfAll for a service that listens on every interface */
function urlOn(host: string, port: number, nameOfAll: string): string {
  const isEveryInterface = host === "0.0.0.0" || host === "::";
  const name = isEveryInterface ? nameOfAll : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** The addresses that visitors and people at the console reach. Those that are not set follow the port of the service. */
export function addressesOf({ BASE_URL, APP_URL, HOST, INGEST_ALIAS: alias }: Config, port: number) {
  const baseUrl = BASE_URL ?? localUrl(HOST, port);
  return { baseUrl, appUrl: APP_URL ?? baseUrl, alias };
}
