/** The wiring of the attempts' thread: what the debug room renders and masks, the SQLite store keeps. */
import { setPriority } from "node:os";
import { type Parcel, unpack } from "./debug/parcel.ts";
import { rowOf, rowsOf } from "./debug/render.ts";
import { serveAttempts } from "./ledger/sqlite/attempts-verbs.ts";

serveAttempts((parcels) => rowsOf(parcels as Parcel[], (parcel) => rowOf(unpack(parcel))));

/** Where all cores are busy history gives way to ingest. Linux only: elsewhere the whole process would be meant. */
const NICE = 10;
if (process.platform === "linux") setPriority(NICE);
