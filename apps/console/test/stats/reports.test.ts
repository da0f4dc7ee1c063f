/** Weekly and monthly reports in the console. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { startMailServer } from "../../../server/test/support/mail-server.ts";
import { SCHEMES, seriousFindings } from "../accessibility.ts";
import { consoleStatsTest } from "../console-world.ts";
import { HOSTILE } from "../seed.ts";
import { lastDays, shopVisits, visitedShop, visits } from "../visits.ts";

const mails = await startMailServer();
const webhook = createServer((_, response) => void response.writeHead(500).end());
await new Promise<void>((resolve) => webhook.listen(0, "127.0.0.1", resolve));
const { port } = webhook.address() as AddressInfo;
after(async () => {
  webhook.close();
  await mails[Symbol.asyncDispose]();
});

consoleStatsTest(
  "Reports are created, previewed, sent and deleted on the stats page.",
  async ({ world, context, page, open, shoot }) => {
    const source = await world.createSource({ name: `Shop ${HOSTILE}` });
    await visits(world, source, shopVisits());
    await open(lastDays(source));
    const show = async () => {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("button", { name: "Reports", exact: true }).click();
    };
    await show();
    const dialog = page.getByRole("dialog", { name: "Reports" });
    await dialog.getByText("No reports yet").waitFor();
    await dialog.getByLabel("Email address").fill("nobody");
    await dialog.getByRole("button", { name: "Create report" }).click();
    await dialog.getByText("must be an email address").first().waitFor();
    await dialog.getByLabel("Email address").fill("ada@shop.example");
    await dialog.getByLabel("Period").selectOption("month");
    await dialog.getByRole("button", { name: "Create report" }).click();
    const row = dialog.getByRole("row", { name: /ada@shop\.example/ });
    await row.getByText("Every month").waitFor();
    await row.getByText("Waiting for ada@shop.example to agree").waitFor();
    const sendButton = row.getByRole("button", { name: "Send now: report to ada@shop.example" });
    assert.equal(await sendButton.count(), 0);

    await dialog.getByLabel("Period").selectOption("week");
    await dialog.getByRole("button", { name: "Preview", exact: true }).click();
    const mail = dialog.getByTitle("Report").contentFrame();
    await mail.getByRole("heading", { name: /^Shop "><img src=x onerror=/ }).waitFor();
    await mail.getByText("Page views").waitFor();
    const cell = mail.getByText("Page views");
    assert.equal(await cell.evaluate((element) => getComputedStyle(element).paddingRight), "12px");
    assert.equal(await mail.locator("a[href], script, img").count(), 0);
    assert.equal(await page.evaluate("window.ran"), undefined, "no script in the data has run");
    for (const { colorScheme, rules } of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1440, 1024, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await shoot(`reports-${colorScheme}-${width}`);
      }
      assert.deepEqual(await seriousFindings(page, rules), []);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    await dialog.getByRole("button", { name: "Close preview" }).click();

    for (const { colorScheme } of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await shoot(`reports-waiting-${colorScheme}-${width}`);
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    const link = /http\S+\/api\/reports\/consent\/\S+/.exec((await mails.next()).text)?.[0] ?? "";
    const reader = await context.newPage();
    await reader.goto(link);
    await reader.getByText("report of Shop").waitFor();
    await reader.getByRole("button", { name: "Agree" }).click();
    await reader.getByText("You agreed.").waitFor();
    await reader.close();
    await page.reload();
    await show();
    await sendButton.click();
    assert.deepEqual((await mails.next()).to, ["ada@shop.example"]);
    await dialog.getByLabel("Send to").selectOption("slack");
    await dialog.getByLabel("Webhook URL").fill(`http://127.0.0.1:${port}/services/1234`);
    await dialog.getByRole("button", { name: "Create report" }).click();
    const failing = dialog.getByRole("row", { name: /127\.0\.0\.1/ });
    await failing.getByRole("button", { name: /^Send now/ }).click();
    await failing.getByText("Not sent: the webhook responded with 500").waitFor();
    assert.equal(await failing.getByRole("alert").count(), 0, "the failure is shown once");
    await shoot("reports-failed");
    await failing.getByRole("button", { name: /^Delete report/ }).click();
    await page.getByRole("button", { name: "Delete report", exact: true }).click();
    await failing.waitFor({ state: "detached" });
    assert.equal(await row.count(), 1);
  },
  {
    environment: {
      SMTP_URL: mails.url,
      MAIL_FROM: "Headwater <hw@example.com>",
      REPORT_WEBHOOK_ORIGINS: `http://127.0.0.1:${port}`,
    },
  },
);

consoleStatsTest(
  "Without a mail server, the panel says what the operator must set.",
  async ({ world, page, open }) => {
    const source = await visitedShop(world);
    await open(lastDays(source));
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Reports", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Reports" });
    await dialog.getByText(/This service has no mail server.*SMTP_URL and MAIL_FROM/).waitFor();
    await dialog.getByLabel("Webhook URL").waitFor();
    await dialog.getByText("Sent every Monday at 6:00 AM in the time zone of this page, UTC.").waitFor();
    await dialog.getByLabel("Period").selectOption({ label: "Every month" });
    await dialog.getByText("Sent on the first day of every month at 6:00 AM").waitFor();
    assert.equal(await dialog.getByLabel("Email address").count(), 0);
  },
);
