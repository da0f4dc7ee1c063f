/**
 * What a handler is given and what it answers, typed by the table of operations: whoever checks a request
 * against an entry of the table makes a `Call` of it, so a handler starts from values that are right.
 */
import type { OPERATIONS, Operation, OperationId, Permission, Role } from "@headwater/contract";
import type { Static, TSchema } from "typebox";
import type { Actor, SourceRecord } from "./records.ts";

type Entry<Id extends OperationId> = Extract<(typeof OPERATIONS)[number], { id: Id }>;
type Of<Id extends OperationId, Field extends string> =
  Entry<Id> extends { [F in Field]: infer S extends TSchema } ? Static<S> : undefined;

type Params<Path> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? { [N in Name]: string } & Params<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? { [N in Name]: string }
    : unknown;

/** Operations that the workspace app serves; the others are the ingest corridor's. */
export type WorkspaceOperationId = Exclude<
  OperationId,
  Extract<(typeof OPERATIONS)[number], { access: "public-key" }>["id"]
>;

type Public<Id extends OperationId> = Entry<Id> extends { access: "public" } ? true : false;
type InWorkspace<Id extends OperationId> =
  Entry<Id> extends { organization: string } ? true : Entry<Id> extends { source: string } ? true : false;
type When<Condition, T> = Condition extends true ? T : null;

/** Who a bearer token stands for. */
export interface Caller {
  readonly actor: Actor;
  /** A token made in a workspace opens that one only; null: every workspace of its user. */
  readonly limitedTo: string | null;
  /** The role that its token does not go beyond; null: its user's own. */
  readonly ceiling: Role | null;
  /** Its token opens the numbers of this source and nothing else; null: as much as its user may. */
  readonly sourceId: string | null;
}

/** A request that passed every check up to the state of what it is about (CONTRACT section 1). */
export interface Call<Id extends OperationId> {
  readonly operation: Operation;
  readonly params: Params<Entry<Id>["path"]>;
  readonly query: Of<Id, "query">;
  readonly body: Of<Id, "body">;
  readonly actor: When<Public<Id> extends true ? false : true, Actor>;
  readonly limitedTo: string | null;
  readonly ceiling: Role | null;
  readonly organizationId: When<InWorkspace<Id>, string>;
  readonly role: When<InWorkspace<Id>, Role>;
  readonly permissions: readonly Permission[];
  readonly source: When<Entry<Id> extends { source: string } ? true : false, SourceRecord>;
  readonly now: number;
  readonly requestId: string;
  /** What rates count by. */
  readonly clientAddress: string;
  readonly lastEventId: string | null;
  /** The client has gone, or may no longer see this. */
  readonly signal: AbortSignal;
}

interface Headers {
  readonly headers?: Readonly<Record<string, string>>;
  /** Where it is not the operation's own. */
  readonly status?: number;
}
export type Answer<Id extends OperationId> =
  | ({ readonly body: Of<Id, "answer"> } & Headers)
  | ({ readonly text: string | Uint8Array; readonly mediaType: string } & Headers)
  | ({ readonly stream: AsyncIterable<string | Uint8Array>; readonly mediaType: string } & Headers);

export type Handler<Id extends OperationId> = (call: Call<Id>) => Promise<Answer<Id>>;

type FieldRule = (body: Readonly<Record<string, unknown>>, now: number) => unknown;
/**
 * What a handler refuses of its body's fields beyond their schema, for a body of any shape: each rule throws its 422.
 * The guard asks them all, so that one answer lists everything that is wrong.
 */
export type FieldRules = Readonly<Partial<Record<OperationId, readonly FieldRule[]>>>;

/** One for each operation of the workspace app: a missing one does not compile. */
export type Handlers = { readonly [Id in WorkspaceOperationId]: Handler<Id> };
