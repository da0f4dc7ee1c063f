/** A full disk where room is given page by page, as it is written. */
import { fullDisk } from "./full-disk.ts";

fullDisk("tmpfs");
