/**
 * For tests of an application, in Playwright, Vitest or any other runner: what reached `headwater test-server`. A failure
 * names the line of the tracking plan that refused an event.
 */

/** A page of Playwright or Puppeteer. */
export interface TestedPage {
  evaluate(expression: string): Promise<unknown>;
}

export interface TestingOptions {
  /** The address of the test server. Default: `HEADWATER_TEST_URL`, else http://127.0.0.1:8799. */
  readonly url?: string | undefined;
  /** How long to wait, in milliseconds. Default: 4,000, since Vitest ends a test after 5,000. */
  readonly timeout?: number | undefined;
}

/** An accepted event as it is stored. */
export interface ReceivedEvent {
  readonly analyticsEventId: string;
  readonly eventId: string;
  readonly type: "page" | "track";
  /** `page_view` for a page event. */
  readonly name: string;
  readonly occurredAt: string;
  readonly receivedAt: string;
  readonly anonymousId: string;
  readonly userId: string | null;
  readonly sessionId: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly page: Readonly<Record<"url" | "path" | "query" | "title" | "referrer", string | null>>;
  readonly [member: string]: unknown;
}

/** What `GET /rejected` says of a rejected event, or of a request that was refused as a whole. */
interface ListedRefusal {
  readonly kind: "event" | "request";
  readonly endpoint: string | null;
  readonly origin: string | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly hint: string | null;
  readonly name: string | null;
  readonly plan: { readonly file: string; readonly line: number } | null;
  readonly issues: readonly { readonly message: string }[];
}

/** Some of the properties. A value can be a regular expression, or a matcher such as `expect.any(Number)`. */
export type ExpectedProperties = Readonly<Record<string, unknown>>;

// Taken at the import, because a test may replace them by fake ones later.
const { setTimeout, fetch } = globalThis;
const now = performance.now.bind(performance);

const defaultUrl = "http://127.0.0.1:8799";
const defaultTimeoutMs = 4_000;
const pollMs = 50;
const maxShownRefusals = 10;
const maxShownPlaces = 3;
const maxValueLength = 200;

/** Node hands a connection to the next request by `setImmediate`, which Vitest's fake timers replace. */
const headers = { connection: "close" };

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function environmentUrl(): string | undefined {
  const { process }: { process?: { env?: Record<string, string | undefined> } } = globalThis as object;
  return process?.env?.HEADWATER_TEST_URL;
}

const urlOf = ({ url }: TestingOptions) => (url || environmentUrl() || defaultUrl).replace(/\/+$/, "");

async function ask(options: TestingOptions, path: string, method = "GET"): Promise<Response> {
  const url = urlOf(options);
  const response = await fetch(url + path, { method, headers }).catch((error: { cause?: unknown }) => {
    throw new Error(
      `No test server answers at ${url} (${error.cause ?? error}). Start it with \`npx headwater test-server\`, or set HEADWATER_TEST_URL.`,
    );
  });
  if (response.ok) return response;
  throw new Error(
    `${url} responded with ${response.status}. It is not the address of \`npx headwater test-server\`.`,
  );
}

const readEvents = async (options: TestingOptions, name?: string): Promise<readonly ReceivedEvent[]> =>
  (
    await (
      await ask(options, `/events${name === undefined ? "" : `?name=${encodeURIComponent(name)}`}`)
    ).json()
  ).events;

const readRefusals = async (options: TestingOptions): Promise<readonly ListedRefusal[]> =>
  (await (await ask(options, "/rejected")).json()).rejected;

/** The browser client collects events for two seconds. A page that navigates or is closed has sent its events already. */
const flushClients =
  "Promise.all(Object.values(globalThis.headwaterClients || {}).map((client) => client.flush())).then(() => {})";

/** Waits until the clients in the page have sent their events, but not longer than the given time. */
async function flush(page: TestedPage | null, maxMs: number): Promise<void> {
  const flushed = page?.evaluate(flushClients).catch(() => undefined);
  if (flushed) await Promise.race([flushed, pause(maxMs)]);
}

interface AsymmetricMatcher {
  asymmetricMatch(value: unknown): boolean;
  toAsymmetricMatcher?(): string;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
const isMatcher = (value: unknown): value is AsymmetricMatcher =>
  isObject(value) && typeof value.asymmetricMatch === "function";

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (isMatcher(value)) return value.toAsymmetricMatcher?.() ?? String(value);
  const text = value instanceof RegExp ? String(value) : JSON.stringify(value);
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}

/** Whether a value is one that is expected as a whole. undefined: its members decide. */
function fits(expected: unknown, found: unknown): boolean | undefined {
  if (isMatcher(expected)) return expected.asymmetricMatch(found);
  if (expected instanceof RegExp) return typeof found === "string" && new RegExp(expected).test(found);
  if (!isObject(expected)) return Object.is(expected, found);
  if (!isObject(found) || Array.isArray(expected) !== Array.isArray(found)) return false;
  return Array.isArray(expected) && expected.length !== found.length ? false : undefined;
}

/** What is not as expected, a line for each value. Further members of objects do not matter. */
function differences(expected: unknown, found: unknown, path: string): string[] {
  const isFit = fits(expected, found);
  if (isFit === true) return [];
  if (isFit === false) return [`${path}: expected ${show(expected)}, found ${show(found)}`];
  return Object.entries(Object(expected)).flatMap(([name, value]) =>
    differences(value, Object(found)[name], `${path}.${name}`),
  );
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

function describeRefusal({ kind, name, endpoint, origin, code, message, hint, plan, issues }: ListedRefusal) {
  const sender = [endpoint, origin].filter(Boolean).join(", ");
  const what = kind === "event" ? name : `a request${sender && ` (${sender})`}: ${code}`;
  const advice = plan || hint === message ? [] : [hint];
  const lines = [...issues.map((issue) => issue.message), ...advice, plan && `${plan.file}:${plan.line}`];
  return [`  ${what}: ${message}`, ...lines.filter(Boolean).map((line) => `    ${line}`)].join("\n");
}

/** For the first line, because a JUnit file shows it alone. */
function countRefusals(refusals: readonly ListedRefusal[]): string {
  const places = new Set(refusals.flatMap(({ plan }) => (plan ? `${plan.file}:${plan.line}` : [])));
  const shown = [...places].slice(0, maxShownPlaces).join(", ");
  return `${counted(refusals.length, "refusal")}${shown && `, by ${shown}`}.`;
}

function describeRefusals(refusals: readonly ListedRefusal[]): string[] {
  const further = refusals.length - maxShownRefusals;
  return [
    ...refusals.slice(0, maxShownRefusals).map(describeRefusal),
    ...(further > 0 ? [`  and ${further} more`] : []),
  ];
}

function describeClosest(named: readonly ReceivedEvent[], expected: ExpectedProperties): string[] {
  const [closest] = named
    .map(({ properties }) => differences(expected, properties, "properties"))
    .sort((one, other) => one.length - other.length);
  if (!closest) return [];
  const which = named.length === 1 ? "It differs" : `The closest of ${named.length} differs`;
  return ["", `${which}:`, ...closest.map((line) => `  ${line}`)];
}

function describeOthers(others: readonly ReceivedEvent[]): string[] {
  if (others.length === 0) return [];
  const counts = new Map<string, number>();
  for (const { name } of others) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count})`));
  return ["", `Accepted: ${names.join(", ")}`];
}

async function describeMissing(name: string, expected: ExpectedProperties, options: TestingOptions) {
  const [events, refusals] = await Promise.all([readEvents(options), readRefusals(options)]);
  const named = events.filter((event) => event.name === name);
  const wanted = Object.keys(expected).length === 0 ? "" : ` with ${describeExpected(expected)}`;
  const { timeout = defaultTimeoutMs } = options;
  const received = events.length + refusals.length;
  return [
    `No event ${JSON.stringify(name)}${wanted} within ${timeout} ms.${refusals.length === 0 ? "" : ` ${countRefusals(refusals)}`}`,
    ...describeClosest(named, expected),
    ...(refusals.length === 0 ? [] : ["", "Refused:", ...describeRefusals(refusals)]),
    ...describeOthers(events.filter((event) => event.name !== name)),
    ...(received === 0 ? ["", `Nothing reached ${urlOf(options)}.`] : []),
  ].join("\n");
}

const describeExpected = (expected: ExpectedProperties) =>
  `{ ${Object.entries(expected)
    .map(([name, value]) => `${name}: ${show(value)}`)
    .join(", ")} }`;

/** An error whose stack begins at the caller of `from`, so that a runner shows the line of the test. */
function errorAt(from: (...words: never) => unknown): Error {
  const error = new Error();
  // only V8 has it, and the types of a page do not
  const { captureStackTrace } = Error as { captureStackTrace?(error: Error, from: unknown): void };
  captureStackTrace?.(error, from);
  return error;
}

/** Runners print the stack, which begins with the message of its time. */
function fail(error: Error, message: string): never {
  const frames = error.stack?.slice(error.stack.indexOf("\n") + 1) ?? "";
  error.message = message;
  error.stack = `Error: ${message}\n${frames}`;
  throw error;
}

async function waitForEvent(
  page: TestedPage | null,
  name: string,
  { properties, options, error }: { properties: ExpectedProperties; options: TestingOptions; error: Error },
): Promise<ReceivedEvent> {
  const { timeout = defaultTimeoutMs } = options;
  const end = now() + timeout;
  try {
    for (;;) {
      await flush(page, Math.max(pollMs, end - now()));
      const events = await readEvents(options, name);
      const found = events.find((event) => differences(properties, event.properties, "").length === 0);
      if (found) return found;
      if (now() >= end) break;
      await pause(pollMs);
    }
  } catch (cause) {
    fail(error, cause instanceof Error ? cause.message : String(cause));
  }
  return fail(error, await describeMissing(name, properties, options));
}

/**
 * Waits until the test server has accepted an event with this name and these properties, among others.
 * @param page its Headwater clients send their waiting events first. Events of other pages and of servers count too
 * @throws Error that says what arrived instead, what was refused, and by which line of the plan
 */
export function expectEvent(
  page: TestedPage,
  name: string,
  properties?: ExpectedProperties,
  options?: TestingOptions,
): Promise<ReceivedEvent>;
export function expectEvent(
  name: string,
  properties?: ExpectedProperties,
  options?: TestingOptions,
): Promise<ReceivedEvent>;
export function expectEvent(
  pageOrName: TestedPage | string,
  ...words: readonly (string | ExpectedProperties | TestingOptions | undefined)[]
): Promise<ReceivedEvent> {
  const error = errorAt(expectEvent);
  const [page, others] = isPage(pageOrName) ? [pageOrName, words] : [null, [pageOrName, ...words]];
  // the overloads allow no other order
  const [name, properties = {}, options = {}] = others as [string, ExpectedProperties?, TestingOptions?];
  return waitForEvent(page, name, { properties, options, error });
}

const isPage = (value: unknown): value is TestedPage => isObject(value) && "evaluate" in value;

async function requireNoRefusals(page: TestedPage | null, options: TestingOptions, error: Error) {
  const { timeout = defaultTimeoutMs } = options;
  await flush(page, timeout);
  const refusals = await readRefusals(options).catch((cause: Error) => fail(error, cause.message));
  if (refusals.length === 0) return;
  fail(error, [countRefusals(refusals), "", ...describeRefusals(refusals)].join("\n"));
}

/**
 * Checks that the test server has rejected no event and refused no request. With a page, its Headwater clients send their
 * waiting events first.
 * @throws Error with every refusal, and the line of the plan that it violates
 */
export function expectNoRejections(page: TestedPage, options?: TestingOptions): Promise<void>;
export function expectNoRejections(options?: TestingOptions): Promise<void>;
export function expectNoRejections(
  first: TestedPage | TestingOptions = {},
  options: TestingOptions = {},
): Promise<void> {
  const error = errorAt(expectNoRejections);
  return isPage(first) ? requireNoRefusals(first, options, error) : requireNoRefusals(null, first, error);
}

/** Has the test server forget what it received. Call it before each test. */
export async function clearEvents(options: TestingOptions = {}): Promise<void> {
  await ask(options, "/", "DELETE");
}
