/** A test keeps it equal to the version in package.json. */
export const sdkVersion = "headwater-js/0.1.0";
