/** Runs test files one after another in this process, so that they share what their setup keeps, such as a browser. */
import { test } from "node:test";
import { pathToFileURL } from "node:url";

// When no test is left, hooks outside of a `describe` run. So this one runs until every file has added its tests.
const { promise: loaded, resolve } = Promise.withResolvers();
test("every file is loaded", () => loaded);
for (const file of JSON.parse(process.env.TEST_FILES)) await import(pathToFileURL(file).href);
resolve();
