/** What a page may have counted beside its views; each is taken by itself. */
export { downloads } from "./downloads.ts";
export { engagement } from "./engagement.ts";
export { forms } from "./forms.ts";
export { outboundLinks } from "./outbound-links.ts";
export { webVitals } from "./web-vitals.ts";
