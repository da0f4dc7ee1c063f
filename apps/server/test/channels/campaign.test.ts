/** The campaign of a page's query. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CLICK_IDS } from "@headwater/contract/campaign-parameters";
import { NO_CAMPAIGN, readCampaign } from "../../src/channels/campaign.ts";

describe("The campaign of a query", () => {
  it("has the UTM fields in any case.", () => {
    assert.deepEqual(
      readCampaign("UTM_Source=News&utm_MEDIUM=email&a=1&utm_campaign=May&utm_term=t&utm_content=c"),
      {
        utm: { source: "News", medium: "email", campaign: "May", term: "t", content: "c" },
        clickIds: null,
        ref: null,
      },
    );
  });

  it("has values without the spaces around them; one of spaces alone is empty.", () => {
    assert.deepEqual(readCampaign("utm_source=+news%20&utm_medium=%20&mtm_medium=mail").utm, {
      source: "news",
      medium: "mail",
    });
  });

  it("has the first value that is not empty.", () => {
    assert.deepEqual(readCampaign("utm_source=&UTM_SOURCE=a&utm_source=b").utm, { source: "a" });
  });

  it("has Matomo's fields where no UTM field is set, and the id of a campaign without a name.", () => {
    assert.deepEqual(readCampaign("mtm_campaign=c&mtm_source=s&mtm_kwd=k").utm, {
      source: "s",
      campaign: "c",
      term: "k",
    });
    assert.deepEqual(readCampaign("piwik_keyword=k&matomo_medium=m").utm, { medium: "m", term: "k" });
    assert.deepEqual(readCampaign("pk_campaign=c&utm_campaign=d").utm, { campaign: "d" });
    assert.deepEqual(readCampaign("utm_id=77").utm, { campaign: "77" });
  });

  it("has every click id in any case, under its name in lower case.", () => {
    for (const name of CLICK_IDS)
      for (const sent of [name, name.toUpperCase()])
        assert.deepEqual(readCampaign(`x=1&${sent}=a1`).clickIds, { [name]: "a1" }, sent);
  });

  it("leaves out what Google adds beside its click id.", () => {
    const query = "gad_source=1&gad_campaignid=2&gclid=g";
    assert.deepEqual(readCampaign(query).clickIds, { gclid: "g" });
  });

  it("has ref, else source.", () => {
    assert.equal(readCampaign("ref=producthunt").ref, "producthunt");
    assert.equal(readCampaign("Source=twitter").ref, "twitter");
    assert.equal(readCampaign("source=b&ref=a").ref, "a");
  });

  it("is empty when names are only similar.", () => {
    for (const query of ["", "xgclid=1", "href=1", "resource=a", "utm=1", "q=utm_source", "gclid"])
      assert.deepEqual(readCampaign(query), NO_CAMPAIGN, query);
  });
});
