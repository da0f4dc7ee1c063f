/** A full tmpfs disk: space is allocated page by page at each write. */
import { fullDisk } from "./full-disk.ts";

fullDisk("tmpfs");
