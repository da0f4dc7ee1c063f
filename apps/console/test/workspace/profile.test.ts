/** What the profile shows of a service that sends no mail and takes no passkeys. */
import assert from "node:assert/strict";
import { seriousFindings } from "../accessibility.ts";
import { consoleTest } from "../console-world.ts";

consoleTest(
  "The profile has cards for what a person can change; who can read the settings also sees what the service lacks, in a line each.",
  async ({ world, page, open, shoot }) => {
    const { token: viewer } = await world.person("viewer");
    await open("/profile");
    const cards = page.getByRole("main").getByRole("heading", { level: 2 });
    await page.getByText("This browser").waitFor();
    assert.deepEqual(await cards.allTextContents(), ["Preferences", "Sessions"]);
    const setting = page.getByText("SMTP_URL");
    const mail = page.getByText("Email is not set up");
    await mail.waitFor();
    assert.equal(await setting.isVisible(), false);
    await mail.click();
    await setting.waitFor();
    await page.getByText("Passkeys are not available").click();
    await page.getByText("Passkeys need HTTPS and a host name").waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("profile-quiet-notes");

    await open("/profile", viewer);
    await page.getByText("This browser").waitFor();
    assert.equal(await mail.count(), 0, "a viewer cannot change it");
  },
);
