/** The scripts must be built, but what builds them is not installed. The message says what to do. */
export declare class BuildToolsMissing extends Error {}
/** Builds v2.js when a source file is newer than the last build. @returns its path. @throws BuildToolsMissing */
export declare function buildSdk(): Promise<string>;
/** The client and its optional part `engagement` as one script. */
export declare function buildWithEngagement(): Promise<string>;
/** Builds the optional parts when needed. @returns their names and paths */
export declare function builtExtras(): Promise<readonly { readonly name: string; readonly path: string }[]>;
