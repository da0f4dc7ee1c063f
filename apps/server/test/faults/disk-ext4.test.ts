/** A full disk whose blocks are allocated late, and whose journal wants some too. */
import { fullDisk } from "./full-disk.ts";

fullDisk("ext4");
