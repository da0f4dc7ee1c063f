/** Rows as a Parquet file. */
import { zstdCompressSync } from "node:zlib";
import { ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { COLUMNS, type ColumnKind, type Json, valueAt } from "./columns.ts";

/** Something of each row group is kept to the end, so they must not be many; and one is held whole. */
const GROUP_ROWS = 20_000;
export const GROUP_BYTES = 8 * 1_048_576;

const TYPES = { text: "STRING", time: "TIMESTAMP", flag: "BOOLEAN", json: "JSON" } as const;

function read(value: unknown, kind: ColumnKind): unknown {
  if (value === null) return null;
  return kind === "time" ? new Date(value as string) : value;
}

/** The values of each column, in the order of COLUMNS. */
type Gathered = unknown[][];
const nothing = (): Gathered => COLUMNS.map(() => []);

/** Of texts no bounds are noted: they would be half of what is kept, and say little. */
const columnsOf = (gathered: Gathered) =>
  COLUMNS.map(({ name, kind }, index) => ({
    name,
    type: TYPES[kind],
    nullable: true,
    offsetIndex: false,
    statistics: kind === "time",
    data: gathered[index]!,
  }));

/** Groups say the same of a column in lists of their own; one of each is enough. */
function createSharing() {
  const known = new Map<string, unknown>();
  return <T>(list: T): T => {
    const text = JSON.stringify(list);
    if (!known.has(text)) known.set(text, list);
    return known.get(text) as T;
  };
}

/** The end of the file names every row group, so something of each is kept: as little as the library lets it be. */
function createSlimming(file: ParquetWriter): () => void {
  const shared = createSharing();
  return () => {
    // page indexes and bloom filters, of which there are none
    file.pendingIndexes.length = 0;
    for (const { meta_data: about } of file.row_groups.at(-1)?.columns ?? []) {
      if (!about) continue;
      about.encodings = shared(about.encodings);
      about.path_in_schema = shared(about.path_in_schema);
      if (about.encoding_stats) about.encoding_stats = shared(about.encoding_stats);
    }
  };
}

const EMPTY = new Uint8Array();

/**
 * A file in parts, as it is made: row groups when enough is gathered for one, and the footer that makes it a file at the
 * end. Of what was given out 3 KB a row group are kept, and 20 KB when the footer is made.
 */
export function startParquet() {
  const bytes = new ByteWriter();
  const file = new ParquetWriter({
    writer: bytes,
    schema: schemaFromColumnData({ columnData: columnsOf(nothing()) }),
    codec: "ZSTD",
    compressors: { ZSTD: (part: Uint8Array) => zstdCompressSync(part) },
    createdBy: "headwater",
  });
  const slim = createSlimming(file);
  let gathered = nothing();
  let [rows, gatheredBytes] = [0, 0];
  const taken = (): Uint8Array<ArrayBuffer> => {
    const part = bytes.getBytes().slice();
    bytes.index = 0;
    return part;
  };
  const group = () => {
    if (rows === 0) return;
    file.write({ columnData: columnsOf(gathered), rowGroupSize: rows });
    slim();
    [gathered, rows, gatheredBytes] = [nothing(), 0, 0];
  };
  return {
    /** @param jsonBytes their length as JSON */
    add: (events: Json[], jsonBytes: number): Uint8Array<ArrayBuffer> => {
      for (const [index, column] of COLUMNS.entries()) {
        const values = gathered[index]!;
        for (const event of events) values.push(read(valueAt(event, column), column.kind));
      }
      rows += events.length;
      gatheredBytes += jsonBytes;
      if (rows < GROUP_ROWS && gatheredBytes < GROUP_BYTES) return EMPTY;
      group();
      return taken();
    },
    end: (): Uint8Array<ArrayBuffer> => {
      group();
      file.finish();
      return taken();
    },
  };
}
