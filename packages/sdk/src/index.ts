export { type Client, type ClientOptions, createClient } from "./client.ts";
export type { Properties } from "./event.ts";
export { sdkVersion } from "./version.ts";
