/** The forms for a source's own rules for sources and channels, and for its content groups. */
import assert from "node:assert/strict";
import { consoleTest } from "./console-world.ts";

consoleTest(
  "The form for sources and channels saves rules, and shows what the service refuses.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    const read = async () => (await world.ask(`/api/tracking-sources/${sourceId}`)).body.channelRules;
    await open(`/sources/settings?sourceId=${sourceId}#traffic-sources-and-channels`);
    const form = page.getByRole("form", { name: "Traffic sources and channels" });
    const rules = form.getByLabel("Rules", { exact: true });
    const save = () => page.getByRole("button", { name: "Save", exact: true }).click();

    const partner = "referrer=*.partner.example -> Our partner | Affiliates";
    await rules.fill(` ${partner}\n\nmedium = qr* -> - | Referral\n`);
    await save();
    await page.getByText("Saved", { exact: true }).waitFor();
    const saved = [
      { field: "referrer", pattern: "*.partner.example", source: "Our partner", channel: "Affiliates" },
      { field: "medium", pattern: "qr*", source: null, channel: "Referral" },
    ];
    assert.deepEqual(await read(), saved);
    await page.reload();
    assert.equal(await rules.inputValue(), `${partner}\nmedium=qr* -> - | Referral`);

    await rules.fill(`${partner}\nmedium=qr -> Poster | Print`);
    await save();
    await form.getByText("Line 2 (medium=qr -> Poster | Print): Write a rule as").waitFor();
    assert.deepEqual(await read(), saved, "nothing is saved");
  },
);

consoleTest(
  "The form for content groups saves groups, and shows what the service refuses.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    const read = async () => (await world.ask(`/api/tracking-sources/${sourceId}`)).body.contentGroups;
    await open(`/sources/settings?sourceId=${sourceId}#content-groups`);
    const form = page.getByRole("form", { name: "Content groups" });
    const groups = form.getByLabel("Groups", { exact: true });
    const save = () => page.getByRole("button", { name: "Save", exact: true }).click();
    await groups.fill(" Docs = /docs/*;  /guides/*\n\nShop=/shop*\n");
    await save();
    await page.getByText("Saved", { exact: true }).waitFor();
    const saved = [
      { name: "Docs", paths: ["/docs/*", "/guides/*"] },
      { name: "Shop", paths: ["/shop*"] },
    ];
    assert.deepEqual(await read(), saved);
    await page.reload();
    assert.equal(await groups.inputValue(), "Docs=/docs/*; /guides/*\nShop=/shop*");
    for (const wrong of ["Blog=blog", "Blog=/a b"]) {
      await groups.fill(`Shop=/shop*\n${wrong}`);
      await save();
      await form.getByText(`Line 2 (${wrong}): Write a group as`).waitFor();
    }
    assert.deepEqual(await read(), saved, "nothing is saved");
  },
);
