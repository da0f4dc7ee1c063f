/**
 * Builds the console when a source file is newer than the last build.
 * @param log receives progress and failures
 * @returns the folder of the built files, or null when there are none and the build tools are not installed
 */
export function buildConsole(log?: (text: string) => void): Promise<string | null>;
