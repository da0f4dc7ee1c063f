/** Writes events as a Parquet file, in parts. */
import { zstdCompressSync } from "node:zlib";
import { ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { COLUMNS, type Column, type ExportedEvent, readColumn } from "./columns.ts";

/** A row group is held in memory as a whole, and the footer has an entry for each group. */
const GROUP_ROWS = 20_000;
export const GROUP_BYTES = 8 * 1_048_576;

const TYPES = { text: "STRING", number: "DOUBLE", time: "TIMESTAMP", flag: "BOOLEAN", json: "JSON" } as const;

interface ColumnValues {
  readonly column: Column;
  readonly values: unknown[];
}
const noValues = (): ColumnValues[] => COLUMNS.map((column) => ({ column, values: [] }));

/** Statistics of texts are left out: they would take half of the memory for the footer. */
const toColumnData = (gathered: readonly ColumnValues[]) =>
  gathered.map(({ column: { name, kind }, values }) => ({
    name,
    type: TYPES[kind],
    nullable: true,
    offsetIndex: false,
    statistics: kind === "time",
    data: values,
  }));

/**
 * The library keeps metadata of each row group for the footer. This reduces it, from 40 KB a group to 2.4 KB: equal lists are
 * kept once.
 */
function createMetadataReducer(file: ParquetWriter): () => void {
  const lists = new Map<string, unknown>();
  const once = <List>(list: List): List => {
    const text = JSON.stringify(list);
    if (!lists.has(text)) lists.set(text, list);
    // the same text means the same list
    return lists.get(text) as List;
  };
  return () => {
    // the list is for page indexes and Bloom filters, which the file does not have
    file.pendingIndexes.length = 0;
    for (const { meta_data: metadata } of file.row_groups.at(-1)?.columns ?? []) {
      if (!metadata) continue;
      metadata.encodings = once(metadata.encodings);
      metadata.path_in_schema = once(metadata.path_in_schema);
      if (metadata.encoding_stats) metadata.encoding_stats = once(metadata.encoding_stats);
    }
  };
}

const NOT_YET = new Uint8Array();

/** The library copies an object unless it has no prototype, and its copy lacks members named `__proto__`. */
const withoutPrototype = (value: object): object => Object.assign(Object.create(null), value);

function toParquetValue({ kind }: Column, value: unknown): unknown {
  if (kind === "time" && value !== null) return new Date(String(value));
  return kind === "json" && typeof value === "object" && value !== null ? withoutPrototype(value) : value;
}

export function createParquetWriter() {
  const bytes = new ByteWriter();
  const file = new ParquetWriter({
    writer: bytes,
    schema: schemaFromColumnData({ columnData: toColumnData(noValues()) }),
    codec: "ZSTD",
    compressors: { ZSTD: (part: Uint8Array) => zstdCompressSync(part) },
    createdBy: "headwater",
  });
  const reduceMetadata = createMetadataReducer(file);
  let gathered = noValues();
  let [rows, jsonBytes] = [0, 0];
  const takeBytes = () => {
    const part = bytes.getBytes().slice();
    bytes.index = 0;
    return part;
  };
  const writeGroup = () => {
    if (rows === 0) return;
    // at once, because the bytes stay in memory
    void file.write({ columnData: toColumnData(gathered), rowGroupSize: rows });
    reduceMetadata();
    [gathered, rows, jsonBytes] = [noValues(), 0, 0];
  };
  return {
    /**
     * @param bytesOfJson the length of the events as JSON
     * @returns bytes of the file when a row group is complete, else none
     */
    add: (events: readonly ExportedEvent[], bytesOfJson: number): Uint8Array<ArrayBuffer> => {
      for (const { column, values } of gathered)
        for (const event of events) values.push(toParquetValue(column, readColumn(event, column)));
      rows += events.length;
      jsonBytes += bytesOfJson;
      if (rows < GROUP_ROWS && jsonBytes < GROUP_BYTES) return NOT_YET;
      writeGroup();
      return takeBytes();
    },
    /** The last row group and the footer, without which the file cannot be read. */
    end: (): Uint8Array<ArrayBuffer> => {
      writeGroup();
      void file.finish();
      return takeBytes();
    },
  };
}
