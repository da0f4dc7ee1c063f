/** Builds the browser script when a source file is newer than it; gives its path. */
export declare function buildSdk(): Promise<string>;
/** The optional parts, built as the script is. */
export declare function builtExtras(): Promise<readonly { readonly name: string; readonly path: string }[]>;
