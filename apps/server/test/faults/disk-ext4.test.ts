/** A full ext4 disk: blocks are allocated late, and the journal needs some too. */
import { fullDisk } from "./full-disk.ts";

fullDisk("ext4");
