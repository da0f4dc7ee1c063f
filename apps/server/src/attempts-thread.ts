/** The wiring of the attempts' thread: what the debug room renders and masks, the SQLite store keeps. */
import { type Parcel, unpack } from "./debug/parcel.ts";
import { rowOf, rowsOf } from "./debug/render.ts";
import { serveAttempts } from "./ledger/sqlite/attempts-verbs.ts";

serveAttempts((parcels) => rowsOf(parcels as Parcel[], (parcel) => rowOf(unpack(parcel))));
