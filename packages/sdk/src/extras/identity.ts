/** The entry of the part that v2.js loads before it starts a client whose tag decides who a visitor is. */
import { documentMember } from "../document.ts";
import { shareTags } from "./sites.ts";
import { countTags } from "./without-consent.ts";

const tags = [...documentMember("querySelectorAll").call(document, "script[data-key]")] as HTMLElement[];
shareTags(tags);
countTags(tags);
