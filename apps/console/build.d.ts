/**
 * Builds the console where a source file is newer than what was built, and tells so.
 * @returns the folder of what was built; null: there is none, and the tools to build it are not installed
 */
export function buildConsole(say?: (text: string) => void): Promise<string | null>;
