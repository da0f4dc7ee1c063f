/** A service whose clock the parent process moves: it sends the milliseconds to pass, and gets a reply once they have passed. */
import { drivenClock, openWorld, passTime } from "../support/world.ts";

const [dataDir] = process.argv.slice(2);
const time = drivenClock();
const world = await openWorld({ TRUST_PROXY: "1" }, { clock: time.clock }, dataDir);

process.on("message", async (ms: number) => {
  await passTime(world, time, ms);
  process.send?.("passed");
});
process.on("disconnect", async () => {
  await world.close();
  process.exit();
});
process.send?.(world.url);
