/**
 * The salts of visitors without browser storage, in a file of their own, so that no copy of the ledger contains them. The file has
 * one place for every third day. A salt is destroyed in place: a new file would leave the old one's blocks on the disk.
 */
import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { SaltLedger } from "../ledger.ts";
import { makePrivateFile } from "./database.ts";
import { toStorageError } from "./failure.ts";

const SALTS_FILE = "visitor-salts";
const DAY_BYTES = 4;
const SALT_BYTES = 32;
const PLACE_BYTES = DAY_BYTES + SALT_BYTES;
/** Yesterday's, today's and tomorrow's: the clocks of the ledger and of a request may differ. */
const PLACES = 3;

interface OpenFile {
  read(place: number): Buffer;
  write(place: number, bytes: Buffer): void;
}

/** @throws StorageError */
function withFile<T>(path: string, work: (file: OpenFile) => T): T {
  let descriptor: number | undefined;
  try {
    makePrivateFile(path);
    const opened = openSync(path, "r+");
    descriptor = opened;
    return work({
      read: (place) => {
        const bytes = Buffer.alloc(PLACE_BYTES);
        readSync(opened, bytes, 0, PLACE_BYTES, place * PLACE_BYTES);
        return bytes;
      },
      write: (place, bytes) => {
        writeSync(opened, bytes, 0, PLACE_BYTES, place * PLACE_BYTES);
        fsyncSync(opened);
      },
    });
  } catch (error) {
    throw toStorageError(error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

export function createSaltMethods(dataDir: string): SaltLedger {
  const path = join(dataDir, SALTS_FILE);
  return {
    visitorSalt: async ({ day }) =>
      withFile(path, ({ read, write }) => {
        const place = day % PLACES;
        const stored = read(place);
        if (stored.readUInt32LE() === day) return stored.subarray(DAY_BYTES);
        stored.fill(0);
        const newPlace = randomBytes(PLACE_BYTES);
        newPlace.writeUInt32LE(day);
        write(place, newPlace);
        return newPlace.subarray(DAY_BYTES);
      }),
    async destroyVisitorSalts({ before }) {
      if (!existsSync(path)) return;
      withFile(path, ({ read, write }) => {
        for (let place = 0; place < PLACES; place++) {
          const stored = read(place);
          const day = stored.readUInt32LE();
          stored.fill(0);
          if (day > 0 && day < before) write(place, stored);
        }
      });
    },
  };
}
