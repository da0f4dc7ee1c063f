/** File systems of their own, which may fill up or lose their power. Needs root and a kernel that mounts. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Volume extends Disposable {
  /** Where it is mounted. */
  path: string;
  unmount(): void;
  mount(): void;
  /** Drops whatever is not on the disk yet, as a loss of power does; the volume then fails every access. */
  cutPower(): void;
}

const run = (command: string, ...values: string[]) => execFileSync(command, values, { stdio: "pipe" });

/** `EXT4_IOC_SHUTDOWN` with `EXT4_GOING_FLAGS_NOLOGFLUSH`: no journal, no pages. */
const CUT_POWER = `
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack("I", 2))
`;

export type VolumeKind = "ext4" | "tmpfs";

function volume(kind: VolumeKind, megabytes: number): Volume {
  const folder = mkdtempSync(join(tmpdir(), "headwater-volume-"));
  const path = join(folder, "mounted");
  const image = join(folder, "image");
  mkdirSync(path);
  let mounted = false;
  const mount = () => {
    if (kind === "tmpfs") run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path);
    else run("mount", "-o", "loop", image, path);
    mounted = true;
  };
  const unmount = () => {
    if (mounted) run("umount", path);
    mounted = false;
  };
  const remove = () => {
    try {
      unmount();
    } catch {
      // something still holds it: it goes when that ends
      run("umount", "--lazy", path);
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    if (kind === "ext4") {
      run("truncate", "--size", `${megabytes}M`, image);
      // as on a volume of ordinary size, whose blocks are as large as a page of memory: with smaller ones SQLite may be
      // killed (SIGBUS) for want of room in the memory that it shares by a file. And nothing is reserved for root
      run("mkfs.ext4", "-q", "-F", "-b", "4096", "-m", "0", image);
    }
    mount();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    path,
    mount,
    unmount,
    cutPower: () => void run("python3", "-c", CUT_POWER, path),
    [Symbol.dispose]: remove,
  };
}

export const openVolume = volume;

/** null: it can be done; else a sentence that says why not. */
export function whyNoVolume(kind: VolumeKind): string | null {
  if (process.getuid?.() !== 0) return "Mounting a file system of its own needs root.";
  try {
    using probe = volume(kind, 32);
    if (kind === "ext4") probe.cutPower();
    return null;
  } catch (error) {
    const said = (error as { stderr?: Buffer }).stderr?.toString().trim() || (error as Error).message;
    return `This machine does not let a test mount ${kind}: ${said.split("\n")[0]}`;
  }
}
