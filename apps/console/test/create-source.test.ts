/** The form for a new source. */
import assert from "node:assert/strict";
import { seriousFindings } from "./accessibility.ts";
import { consoleTest } from "./console-world.ts";

consoleTest(
  "The form names what is missing, and creates a source with one address or several.",
  async ({ world, page, open, shoot }) => {
    await open("/sources/new");
    const create = page.getByRole("button", { name: "Create source", exact: true });
    await create.click();
    const name = page.getByLabel("Name");
    await page.getByText("Enter a name or an address.").waitFor();
    assert.ok(await name.evaluate((field) => field === document.activeElement));
    await shoot("create-refused");
    assert.deepEqual(await seriousFindings(page), []);

    await name.fill("Shop");
    assert.equal(await page.getByText("Enter a name or an address.").count(), 0);
    await page.getByLabel("Website address").fill("HTTPS://Shop.example/cart?x");
    await page.getByText("Saved as https://shop.example").waitFor();
    await page.getByText("More addresses").click();
    await page.getByRole("textbox", { name: "Origin 2" }).fill("me@shop.example");
    await page.getByText("More addresses").click();
    await create.click();
    const other = page.getByRole("textbox", { name: "Origin 2" });
    await other.waitFor();
    assert.ok(await other.evaluate((field) => field === document.activeElement));
    await other.fill("http://localhost:*");
    await page.getByRole("button", { name: "Add origin" }).click();
    await page.getByRole("textbox", { name: "Origin 3" }).fill("https://*.shop.example");
    await shoot("create-addresses");
    await create.click();
    await page.getByText("Waiting for the first event").waitFor();
    const { searchParams } = new URL(page.url());
    const { body } = await world.ask(`/api/tracking-sources/${searchParams.get("sourceId")}`);
    assert.deepEqual(body.allowedOrigins, [
      "https://shop.example",
      "http://localhost:*",
      "https://*.shop.example",
    ]);
  },
);

consoleTest(
  "A wrong address is the only error of the form, in plain words and with its border while it is focused.",
  async ({ page, open, shoot }) => {
    await open("/sources/new");
    const address = page.getByLabel("Website address");
    await address.fill("my shop.example");
    await page.getByRole("button", { name: "Create source", exact: true }).click();
    await page.getByText("Remove the spaces. An address looks like www.example.com.").waitFor();
    await page.locator(":focus").and(address).waitFor();
    assert.equal(await page.locator("[aria-invalid]").count(), 1);
    const [border, text] = await address.evaluate((field) => {
      const { borderTopColor, color } = getComputedStyle(field);
      return [borderTopColor, color];
    });
    assert.equal(border, text, "the border has the color of the error");
    await shoot("create-wrong-address");
  },
);

consoleTest(
  "The form is the first of three steps, and begins in the address.",
  async ({ page, open, shoot }) => {
    await open("/sources");
    await page.getByRole("link", { name: "Create source" }).first().click();
    await page.locator(":focus").and(page.getByLabel("Website address")).waitFor();
    const steps = page.getByRole("list", { name: "Steps" }).getByRole("listitem");
    assert.deepEqual(await steps.allTextContents(), ["Create", "Install", "First visit"]);
    assert.equal(await steps.first().getAttribute("aria-current"), "step");
    await shoot("create-steps");
  },
);

consoleTest("A source without a name gets that of its site.", async ({ world, page, open }) => {
  await open("/sources/new");
  await page.getByLabel("Website address").fill("www.shop.example/cart");
  await page.getByRole("button", { name: "Create source", exact: true }).click();
  await page.getByText("Waiting for the first event").waitFor();
  const { searchParams } = new URL(page.url());
  const { body } = await world.ask(`/api/tracking-sources/${searchParams.get("sourceId")}`);
  assert.equal(body.name, "shop.example");
});

consoleTest(
  "A name that another source has is allowed, and the form says so.",
  async ({ world, page, open }) => {
    await world.createSource({ name: "Shop" });
    await open("/sources/new");
    await page.getByLabel("Name").fill("shop");
    await page.getByLabel("Website address").fill("localhost:3000");
    await page.getByText("Another source has this name.").waitFor();
    await page.getByText("Saved as http://localhost:3000").waitFor();
    await page.getByRole("button", { name: "Create source", exact: true }).click();
    await page.getByText("Waiting for the first event").waitFor();
    await open("/sources");
    await page.getByRole("row").filter({ hasText: "shop-2 · " }).waitFor();
  },
);
