/** Builds v2.js when a source file is newer than the last build. @returns its path */
export declare function buildSdk(): Promise<string>;
/** Builds the optional parts when needed. @returns their names and paths */
export declare function builtExtras(): Promise<readonly { readonly name: string; readonly path: string }[]>;
