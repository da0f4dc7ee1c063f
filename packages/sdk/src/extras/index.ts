/** Optional parts that count more than page views. Each can be imported on its own. */
export { consentSignals } from "./consent-signals.ts";
export { downloads } from "./downloads.ts";
export { engagement } from "./engagement.ts";
export { forms } from "./forms.ts";
export { outboundLinks } from "./outbound-links.ts";
export { webVitals } from "./web-vitals.ts";
