/**
 * The ledger's thread with a SQLite that can be made to fail: at the n-th statement from now, for a number of statements,
 * before or after each is executed.
 */
import { DatabaseSync, StatementSync } from "node:sqlite";
import { parentPort } from "node:worker_threads";

/** Indexes into memory that is shared with the test: the fault to cause, and the number of executed statements. */
export const FAULT = { countdown: 0, times: 1, after: 2, errcode: 3, statements: 4 } as const;
const FIELDS = Object.keys(FAULT).length;
export const makeFault = () => new Int32Array(new SharedArrayBuffer(FIELDS * Int32Array.BYTES_PER_ELEMENT));

let fault: Int32Array | null = null;
parentPort?.on("message", ({ method, argument }: { method: string; argument: { fault: Int32Array } }) => {
  if (method === "open") fault = argument.fault;
});

function isDue(): boolean {
  if (!fault) return false;
  fault[FAULT.statements]! += 1;
  if (fault[FAULT.times] === 0) return false;
  if (fault[FAULT.countdown]! > 1) {
    fault[FAULT.countdown]! -= 1;
    return false;
  }
  fault[FAULT.times]! -= 1;
  return true;
}

function failure(): Error {
  const said = { code: "ERR_SQLITE_ERROR", errcode: fault![FAULT.errcode] };
  return Object.assign(new Error("the disk does not do it"), said);
}

type Method = (this: unknown, ...values: unknown[]) => unknown;
function breakable(prototype: object, name: string): void {
  const methods = prototype as Record<string, Method>;
  const real = methods[name]!;
  methods[name] = function (...values) {
    const due = isDue();
    if (due && fault![FAULT.after] === 0) throw failure();
    const value = real.apply(this, values);
    if (due) throw failure();
    return value;
  };
}

if (parentPort) {
  for (const name of ["exec", "prepare"]) breakable(DatabaseSync.prototype, name);
  for (const name of ["run", "get", "all"]) breakable(StatementSync.prototype, name);
  await import("../../src/ledger/sqlite/ledger-thread.ts");
}
