/** A scripted visit to a new app, and the events that the real server accepted. */
import assert from "node:assert/strict";
import type { DebugData } from "@headwater/contract";
import { until } from "../../../apps/server/test/support/until.ts";
import type { World } from "../../../apps/server/test/support/world.ts";
import { newVisitor } from "./chromium.ts";

/** Development servers compile a page on its first request, which can take long. */
const deadlineMs = 90_000;

export interface AppSource {
  readonly sourceId: string;
  readonly publicKey: string;
}

/** A source that accepts every origin of this machine and servers, and stores the queries that tell views apart. */
export const createShop = (world: World): Promise<AppSource> =>
  world.createSource({ allowedOrigins: ["http://127.0.0.1:*"], queryParameters: "all" });

interface AcceptedEvent {
  readonly type: string;
  readonly name: string;
  readonly occurredAt: string;
  readonly page: { readonly path: string | null; readonly query: string | null } | null;
}

/**
 * The accepted events in order, without reports of engagement: views by path and query, events by name. No request may have
 * failed.
 */
export async function acceptedEvents(world: World, { sourceId }: AppSource): Promise<string[]> {
  const { body } = await world.ask(`/api/tracking-sources/${sourceId}/debug`);
  const { bootstrapAttempts, eventAttempts } = body as DebugData;
  assert.deepEqual(
    [...bootstrapAttempts, ...eventAttempts]
      .filter(({ outcome }) => outcome !== "succeeded")
      .map(({ code }) => code),
    [],
  );
  // the debug view lists a sample of the successes only
  const { text } = await world.ask(`/api/export/events?sourceId=${sourceId}`);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): AcceptedEvent => JSON.parse(line))
    .filter(({ name }) => name !== "engagement")
    .sort((one, other) => one.occurredAt.localeCompare(other.occurredAt))
    .map(({ type, name, page }) =>
      type === "page" && page ? `${page.path}${page.query ? `?${page.query}` : ""}` : name,
    );
}

/** One load, two client navigations, one event. */
const expected = ["/", "/pricing", "/docs?page=2", "signup"];

/**
 * Loads the app, follows two links and signs up: three views and an event. Then it navigates to the current page (no
 * view), goes back, and leaves and returns through the back/forward cache: two views.
 */
export async function visitShop(url: string, world: World, source: AppSource): Promise<void> {
  const visitor = await newVisitor();
  try {
    const page = await visitor.newPage();
    page.setDefaultTimeout(deadlineMs);
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => {
      const isIcon = message.location().url.endsWith("/favicon.ico");
      if (message.type() === "error" && !isIcon) errors.push(message.text());
    });
    const follow = (name: string) => page.getByRole("link", { name }).click();
    const arrive = (name: string) => page.getByRole("heading", { name }).waitFor();
    /** Signs up and waits for that event. It comes after the views, so a view that is counted by mistake has arrived too. */
    const eventsUpToSignUp = async (times: number) => {
      await page.getByRole("button", { name: "Sign up" }).click();
      return until("the event after the views has arrived", async () => {
        const events = await acceptedEvents(world, source);
        return events.filter((name) => name === "signup").length === times && events;
      });
    };

    await page.goto(url);
    // a click before the app has started would load the next page anew
    await until("the first view has arrived", async () => (await acceptedEvents(world, source)).length > 0);
    for (const name of ["Pricing", "Docs"]) {
      await follow(name);
      await arrive(name);
    }
    assert.deepEqual(await eventsUpToSignUp(1), expected);

    await follow("Docs");
    await page.goBack();
    await arrive("Pricing");
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
    assert.deepEqual(await eventsUpToSignUp(2), [...expected, "/pricing", "/pricing", "signup"]);
    assert.deepEqual(errors, [], "no script error");
  } finally {
    await visitor.close();
  }
}
