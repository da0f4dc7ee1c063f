/** "Test my site" on the install page. */
import assert from "node:assert/strict";
import { SCHEMES, seriousFindings } from "./accessibility.ts";
import { consoleTest } from "./console-world.ts";

consoleTest(
  "Test my site says check by check what is wrong with the page and what to do.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource({ allowedOrigins: ["https://shop.example"] });
    await open(`/analytics/setup/install?sourceId=${sourceId}`);
    const section = page.getByRole("region", { name: "Test my site" });
    const address = section.getByLabel("Page address");
    assert.equal(await address.inputValue(), "https://shop.example/");
    await address.fill(`${world.url}/docs`);
    await section.getByRole("button", { name: "Test my site" }).click();
    await section.getByText(/of 13 checks failed\./).waitFor();
    assert.equal(await section.getByRole("listitem").count(), 13);
    await section.getByText("Paste into the page", { exact: true }).waitFor();
    await section.getByText("Add this origin", { exact: true }).waitFor();
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 1400 });
      for (const { colorScheme, rules } of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await seriousFindings(page, rules), []);
        await section.scrollIntoViewIfNeeded();
        await shoot(`test-site-${width}-${colorScheme}`);
      }
      const fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
      assert.ok(await page.evaluate(fits), `fits ${width}`);
    }
    await address.fill("http://10.0.0.1/");
    await section.getByRole("button", { name: "Test my site" }).click();
    await section
      .getByText(/private network/)
      .first()
      .waitFor();
    await section.getByText(/^npx headwater doctor 'http:\/\/10\.0\.0\.1\/' --key pk_/).waitFor();
    await section.getByText("Run in a terminal", { exact: true }).first().waitFor();
  },
);

consoleTest(
  "Test my site is not prefilled with an address that the server does not open: it names the doctor's command.",
  async ({ world, page, open, shoot }) => {
    const { sourceId, publicKey } = await world.createSource({ allowedOrigins: ["http://localhost:3000"] });
    await open(`/analytics/setup/install?sourceId=${sourceId}`);
    const section = page.getByRole("region", { name: "Test my site" });
    await section
      .getByText(`npx headwater doctor http://localhost:3000/ --key ${publicKey} --api ${world.url}`)
      .waitFor();
    assert.equal(await section.getByLabel("Page address").inputValue(), "");
    await page.setViewportSize({ width: 320, height: 900 });
    await section.scrollIntoViewIfNeeded();
    await shoot("test-site-local-320");
    const fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
    assert.ok(await page.evaluate(fits));
  },
);
