/** What the profile shows of a service that sends no mail and takes no passkeys. */
import assert from "node:assert/strict";
import { seriousFindings } from "../accessibility.ts";
import { consoleTest } from "../console-world.ts";

consoleTest(
  "The profile has cards for what a person can change; what the service lacks is named in the card “Sign-in”, to those who can read the settings with what to set.",
  async ({ world, page, open, shoot }) => {
    const { token: viewer } = await world.person("viewer");
    await open("/profile");
    const cards = page.getByRole("main").getByRole("heading", { level: 2 });
    await page.getByText("This browser").waitFor();
    assert.deepEqual(await cards.allTextContents(), ["Preferences", "Sign-in", "Sessions"]);
    const setting = page.getByText("SMTP_URL");
    const mail = page.getByRole("region", { name: "Email", exact: true }).getByText("Not set up");
    await mail.waitFor();
    await setting.waitFor();
    const passkeys = page.getByRole("region", { name: "Passkeys", exact: true });
    await passkeys.getByText("Not available").waitFor();
    await passkeys.getByText("Passkeys need HTTPS and a host name").waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await page.setViewportSize({ width: 1440, height: 1100 });
    await shoot("profile-sign-in");
    await page.emulateMedia({ colorScheme: "dark" });
    await shoot("profile-sign-in-dark");
    await page.emulateMedia({ colorScheme: "light" });
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 1900 });
      await shoot(`profile-sign-in-${width}`);
    }

    await open("/profile", viewer);
    await page.getByText("This browser").waitFor();
    await mail.waitFor();
    assert.equal(await setting.count(), 0, "a viewer cannot change it");
  },
);

consoleTest(
  "A session names its browser and system on the profile and on the tokens page, and is ended on both.",
  async ({ world, page, shoot }) => {
    await page.setViewportSize({ width: 1440, height: 1000 });
    await page.goto(`${world.url}/sign-in#code=${world.signInCode}`);
    await page.getByRole("button", { name: /^Continue as/ }).click();
    await page.getByRole("heading", { name: "See who visits your site" }).waitFor();
    const label = /^Chrome on (Linux|macOS|Windows)$/;
    await page.goto(`${world.url}/profile`);
    const own = page.getByRole("row").filter({ hasText: "This browser" });
    await own.getByText(label).waitFor();
    await shoot("sessions-1440");
    await own.getByRole("button", { name: "End", exact: true }).click();
    await page.getByRole("dialog", { name: "End this session?" }).waitFor();
    await page.keyboard.press("Escape");

    await page.goto(`${world.url}/tokens`);
    await own.getByText(/Chrome on/).waitFor();
    await shoot("tokens-1440");
    await own.getByRole("button", { name: /^End Chrome on/ }).click();
    const dialog = page.getByRole("dialog", { name: "End this session?" });
    await dialog.getByRole("button", { name: "End session" }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 390, height: 844 });
    await shoot("tokens-390");
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
