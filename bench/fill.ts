/** `node bench/fill.ts FOLDER KEYS`: fills a ledger in a separate process, because it can be killed while SQLite is working. */
import { fillSqlite } from "./rows/growth-fill.ts";

const [folder, keys] = process.argv.slice(2);
fillSqlite(folder!, Number(keys), Date.now());
