/** Requests with events to keep that wait for a flush, oldest first, bounded in bytes. */
import type { Unstored } from "../ingest/unstored-event.ts";

/** Bytes that may wait: half a minute of flushes. A flooded source leaves room for the others. */
const MAX_BYTES = 8 * 1_048_576;
const MAX_BYTES_OF_SOURCE = 2 * 1_048_576;
/** What a request takes besides its body. */
const OVERHEAD_BYTES = 512;

export interface PendingRequest {
  readonly sourceId: string;
  readonly unstored: Unstored;
}

const bytesOf = ({ unstored }: PendingRequest) => OVERHEAD_BYTES + unstored.bytes;

export class PendingRequests {
  #requests: PendingRequest[] = [];
  #bytes = 0;
  readonly #bytesOfSource = new Map<string, number>();

  /** @returns false when there is no room */
  add(request: PendingRequest): boolean {
    const added = bytesOf(request);
    const ofSource = added + (this.#bytesOfSource.get(request.sourceId) ?? 0);
    if (this.#bytes + added > MAX_BYTES || ofSource > MAX_BYTES_OF_SOURCE) return false;
    this.#requests.push(request);
    this.#bytes += added;
    this.#bytesOfSource.set(request.sourceId, ofSource);
    return true;
  }

  /** Takes the oldest requests, until they have this many bytes. */
  take(maxBytes: number): { requests: PendingRequest[]; bytes: number } {
    let bytes = 0;
    let count = 0;
    for (const request of this.#requests) {
      if (bytes >= maxBytes) break;
      bytes += bytesOf(request);
      count += 1;
    }
    const requests = this.#requests.splice(0, count);
    for (const request of requests) this.#remove(request);
    return { requests, bytes };
  }

  bytes(): number {
    return this.#bytes;
  }

  isEmpty(): boolean {
    return this.#requests.length === 0;
  }

  #remove(request: PendingRequest): void {
    const bytes = bytesOf(request);
    const ofSource = (this.#bytesOfSource.get(request.sourceId) ?? 0) - bytes;
    this.#bytes -= bytes;
    if (ofSource > 0) this.#bytesOfSource.set(request.sourceId, ofSource);
    else this.#bytesOfSource.delete(request.sourceId);
  }
}
