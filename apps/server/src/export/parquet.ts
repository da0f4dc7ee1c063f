/** Rows as a Parquet file. */
import { zstdCompressSync } from "node:zlib";
import { ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { COLUMNS, type ColumnKind, type Json, valueAt } from "./columns.ts";

const TYPES = { text: "STRING", time: "TIMESTAMP", flag: "BOOLEAN", json: "JSON" } as const;

function read(value: unknown, kind: ColumnKind): unknown {
  if (value === null) return null;
  return kind === "time" ? new Date(value as string) : value;
}

const columnsOf = (events: Json[]) =>
  COLUMNS.map((column) => ({
    name: column.name,
    type: TYPES[column.kind],
    nullable: true,
    offsetIndex: false,
    data: events.map((event) => read(valueAt(event, column), column.kind)),
  }));

/**
 * A file in parts, as it is made: a row group for each, and the footer that makes it a file at the end. Nothing of what was
 * given out is kept but some hundred bytes a group and column.
 */
export function startParquet() {
  const bytes = new ByteWriter();
  const schema = schemaFromColumnData({ columnData: columnsOf([]) });
  const compressors = { ZSTD: (part: Uint8Array) => zstdCompressSync(part) };
  const file = new ParquetWriter({
    writer: bytes,
    schema,
    codec: "ZSTD",
    compressors,
    createdBy: "headwater",
  });
  const taken = (): Uint8Array => {
    const part = bytes.getBytes().slice();
    bytes.index = 0;
    return part;
  };
  return {
    add: (events: Json[]): Uint8Array => {
      file.write({ columnData: columnsOf(events), rowGroupSize: events.length });
      return taken();
    },
    end: (): Uint8Array => {
      file.finish();
      return taken();
    },
  };
}
