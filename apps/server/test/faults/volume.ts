/** Separate file systems that tests fill up or cut off from power. Needs root and permission to mount. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Volume extends Disposable {
  /** The mount point. */
  path: string;
  unmount(): void;
  mount(): void;
  /** Discards everything that is not on the disk yet, as a loss of power does. After it every access to the volume fails. */
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
      // a process still uses it: the volume is unmounted when the process ends
      run("umount", "--lazy", path);
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    if (kind === "ext4") {
      run("truncate", "--size", `${megabytes}M`, image);
      // blocks of 4096 bytes, as on volumes of ordinary size: with blocks smaller than a memory page, SQLite's shared
      // memory file can run out of space, which kills the process (SIGBUS). -m 0 reserves no space for root
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

/** @returns null when volumes can be used, or a sentence that says why not */
export function whyNoVolume(kind: VolumeKind): string | null {
  if (process.getuid?.() !== 0) return "Mounting a file system of its own needs root.";
  try {
    using probe = volume(kind, 32);
    if (kind === "ext4") probe.cutPower();
    return null;
  } catch (error) {
    const reason = (error as { stderr?: Buffer }).stderr?.toString().trim() || (error as Error).message;
    return `This machine does not let a test mount ${kind}: ${reason.split("\n")[0]}`;
  }
}

const MEGABYTE = 1_048_576;
const ballastOf = ({ path }: Volume) => join(path, "ballast");

/** Fills the volume, except for `leave` bytes. */
export function fillVolume(volume: Volume, leave = 0): void {
  const file = openSync(ballastOf(volume), "a");
  const free = () => {
    const { bavail, bsize } = statfsSync(volume.path);
    return bavail * bsize;
  };
  try {
    for (let left = free(); left > leave; left = free()) {
      writeSync(file, Buffer.alloc(Math.min(MEGABYTE, left - leave)));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(file);
  }
}

/** Frees what `fillVolume` took. */
export function emptyVolume(volume: Volume): void {
  rmSync(ballastOf(volume));
}

const isRoot = () => process.getuid?.() === 0;

/**
 * Makes a folder read-only until it is disposed: as root with a read-only mount over it, since permissions do not bind root.
 * Files that are open stay writable, as they do until a system remounts their volume.
 */
export function makeReadOnly(path: string): Disposable {
  if (!isRoot()) {
    chmodSync(path, 0o500);
    return { [Symbol.dispose]: () => chmodSync(path, 0o700) };
  }
  run("mount", "--bind", path, path);
  let isMounted = true;
  const unmount = () => {
    if (isMounted) run("umount", "--lazy", path);
    isMounted = false;
  };
  try {
    run("mount", "-o", "remount,bind,ro", path);
  } catch (error) {
    unmount();
    throw error;
  }
  return { [Symbol.dispose]: unmount };
}

/** @returns null when a folder can be made read-only, or a sentence that says why not */
export function whyNotReadOnly(): string | null {
  const path = mkdtempSync(join(tmpdir(), "headwater-read-only-"));
  try {
    makeReadOnly(path)[Symbol.dispose]();
    return null;
  } catch (error) {
    return `This machine does not let a test mount a folder read-only: ${(error as Error).message.split("\n")[0]}`;
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}
