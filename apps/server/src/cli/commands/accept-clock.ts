/** `headwater accept-clock`: accepts the clock after a jump, so that deletion by age need not wait for a day. */
import { toIsoTime } from "../../core/time.ts";
import { defineCommand } from "../command.ts";
import { withLedger } from "../ledger-access.ts";

export const acceptClock = defineCommand({
  description: "Accept the clock after a jump, so that deletion by age continues",
  details: ["The service may be running. With DATABASE_URL, the clock is the database server's."],
  run: () =>
    withLedger(async ({ ledger, now }) => {
      const { trustedAt } = await ledger.acceptClock({ now });
      const time = toIsoTime(trustedAt);
      return {
        json: { time },
        text: `The clock is accepted. Its time is ${time}. A running service uses it for deletions within a minute.`,
      };
    }),
});
