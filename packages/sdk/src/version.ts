/** Held equal to package.json by a test. */
export const sdkVersion = "headwater-js/0.1.0";
