/** Builds the browser script when a source file is newer than it; gives its path. */
export declare function buildSdk(): Promise<string>;
