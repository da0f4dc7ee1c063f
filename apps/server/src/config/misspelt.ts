/** Finds names of the environment that are probably misspelt settings. Pure. */
import { distanceOf, simplify } from "../core/nearest-name.ts";

interface Misspelt {
  readonly name: string;
  /** The setting that it resembles. */
  readonly meant: string;
}

/** As in `HEADWATER_PORT`: settings have no prefix. */
const PREFIX = /^HEADWATER_/i;
/** Kubernetes gives the pods of a service named `headwater` a HEADWATER_PORT with such a value. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//;
/** Longer names are not compared. */
const MAX_LENGTH = 64;

/** How many letters may differ. Short names are too similar to others: `HOSTS` is not `HOST`, nor `API_URL` `APP_URL`. */
function allowedEdits(setting: string): number {
  const { length } = simplify(setting);
  if (length < 7) return 0;
  return length < 12 ? 1 : 2;
}

/** Letters of another case, and underscores, are not edits. */
function resembles(simple: string, form: string, edits: number): boolean {
  const other = simplify(form);
  if (Math.abs(simple.length - other.length) > edits) return false;
  return distanceOf(simple, other) <= edits;
}

/** @param settings all names; each can also be given as `NAME_FILE` */
export function findMisspelt(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): Misspelt[] {
  const forms = settings.flatMap((setting) => [
    { setting, form: setting },
    { setting, form: `${setting}_FILE` },
  ]);
  const known = new Set(forms.map(({ form }) => form));
  const unset = forms.filter(({ setting }) => !environment[setting] && !environment[`${setting}_FILE`]);
  const given = Object.entries(environment).filter(
    ([name, value]) => value && !known.has(name) && name.length <= MAX_LENGTH && !SERVICE_LINK.test(value),
  );
  return given.flatMap(([name]) => {
    const bare = name.replace(PREFIX, "");
    const exact = bare === name ? undefined : unset.find(({ form }) => form === bare.toUpperCase());
    const simple = simplify(bare);
    const near = unset
      .filter(({ setting }) => allowedEdits(setting) > 0)
      .find(({ setting, form }) => resembles(simple, form, allowedEdits(setting)));
    const meant = exact ?? near;
    return meant ? [{ name, meant: meant.form }] : [];
  });
}
