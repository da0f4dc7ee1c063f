/** Runs test files one after another in this process, so that they share what their setup keeps, such as a browser. */
import { pathToFileURL } from "node:url";

for (const file of JSON.parse(process.env.TEST_FILES)) await import(pathToFileURL(file).href);
