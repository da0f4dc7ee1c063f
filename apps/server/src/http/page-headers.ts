/** The headers of every HTML page that the service serves. */

/** The policy of a page that loads nothing and runs nothing. */
const POLICY = {
  "default-src": "'none'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
  "require-trusted-types-for": "'script'",
  "trusted-types": "'none'",
};

/** Features of the browser that no page uses. Copying to the clipboard is not among them: the console does. */
const UNUSED_FEATURES = [
  "accelerometer",
  "autoplay",
  "camera",
  "display-capture",
  "encrypted-media",
  "geolocation",
  "gyroscope",
  "hid",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "screen-wake-lock",
  "serial",
  "usb",
  "xr-spatial-tracking",
];

const PERMISSIONS = UNUSED_FEATURES.map((feature) => `${feature}=()`).join(", ");

/** @param directives of the Content-Security-Policy that differ from those of a page that loads and runs nothing */
export const pageHeaders = (directives: Readonly<Record<string, string>> = {}) => ({
  "Content-Security-Policy": Object.entries({ ...POLICY, ...directives })
    .map(([name, sources]) => `${name} ${sources}`)
    .join("; "),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": PERMISSIONS,
  "Referrer-Policy": "no-referrer",
});
