/** `node bench/fill.ts FOLDER KEYS`: a process of its own, because it can be ended while SQLite is at work. */
import { fillSqlite } from "./rows/growth-fill.ts";

const [folder, keys] = process.argv.slice(2);
fillSqlite(folder!, Number(keys), Date.now());
