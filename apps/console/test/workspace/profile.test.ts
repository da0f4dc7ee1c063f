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

consoleTest(
  "A preference is one row of its label and its control, and on a phone the label is above; saving is possible once something changed.",
  async ({ page, open, shoot }) => {
    await open("/profile");
    const label = page.getByText("Number format");
    const control = page.getByLabel("Number format");
    await control.waitFor();
    const placeOf = async () => {
      const [text, field] = [(await label.boundingBox())!, (await control.boundingBox())!];
      return { isBeside: text.x + text.width < field.x, isAbove: text.y + text.height <= field.y };
    };
    await page.setViewportSize({ width: 1440, height: 900 });
    assert.deepEqual(await placeOf(), { isBeside: true, isAbove: false });
    const form = page.getByRole("form", { name: "Preferences" });
    const { height } = (await form.boundingBox())!;
    assert.ok(height < 450, `${height}`);
    const save = page.getByRole("button", { name: "Save preferences" });
    const colorOf = () => save.evaluate((button) => getComputedStyle(button).backgroundColor);
    assert.equal(await save.getAttribute("aria-disabled"), "true");
    const disabledColor = await colorOf();
    await page.getByLabel("Name", { exact: true }).fill("Ada");
    assert.equal(await save.getAttribute("aria-disabled"), "false");
    assert.notEqual(await colorOf(), disabledColor);
    await shoot("profile-rows");
    await page.setViewportSize({ width: 390, height: 844 });
    assert.deepEqual(await placeOf(), { isBeside: false, isAbove: true });
  },
);
