/**
 * The input and the answer of a handler, typed by the table of operations. The guard checks a request against its entry
 * of the table and makes a `Call` of it, so a handler gets valid values only.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { OPERATIONS, Operation, OperationId, Permission, Role, TokenScope } from "@headwater/contract";
import type { Static, TSchema } from "typebox";
import type { Catalog } from "../ledger/ledger.ts";
import type { Actor, QueriedSource, SourceRecord } from "../ledger/records.ts";
import type { Document } from "./document.ts";

type Entry<Id extends OperationId> = Extract<(typeof OPERATIONS)[number], { id: Id }>;
type Of<Id extends OperationId, Field extends string> =
  Entry<Id> extends { [F in Field]: infer S extends TSchema } ? Static<S> : undefined;

type Params<Path> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? { [N in Name]: string } & Params<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? { [N in Name]: string }
    : unknown;

/** All operations except those of ingest. */
export type WorkspaceOperationId = Exclude<
  OperationId,
  Extract<(typeof OPERATIONS)[number], { access: "public-key" }>["id"]
>;

type Public<Id extends OperationId> = Entry<Id> extends { access: "public" } ? true : false;
type InWorkspace<Id extends OperationId> =
  Entry<Id> extends { organization: string } ? true : Entry<Id> extends { source: string } ? true : false;
type When<Condition, T> = Condition extends true ? T : null;

/** The owner and the scope of a bearer token. */
export interface Caller {
  readonly actor: Actor;
  /** Whether the user signed in: by a session of the console or a JWT. No other token acts as a person. */
  readonly isPerson: boolean;
  /** The only workspace that the token is valid for; null: every workspace of its user. */
  readonly limitedTo: string | null;
  /** The token never has more rights than this role; null: it has its user's rights. */
  readonly ceiling: Role | null;
  /** The token may only do what its scope says, for this source; null: not limited to a source. */
  readonly sourceId: string | null;
  readonly scope: TokenScope | null;
  /** The token of a shared link whose password was not given. */
  readonly isLocked: boolean;
  /** Tokens that the caller creates expire by then at the latest; null: no limit. */
  readonly grantsUntil: number | null;
  /** The remembered sign-in that renewed the token; null: the token is not a short-lived one. */
  readonly rememberedId: string | null;
}

/** A request for another operation that belongs to a request, and is made by the same caller. */
export interface InnerRequest {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** JSON; undefined: none. */
  readonly body: unknown;
}

/** The status and the JSON of an answer or of a refusal. */
export interface InnerReply {
  readonly status: number;
  readonly body: unknown;
}

/** A request that passed every check of the guard (docs/api/conventions.md). */
export interface Call<Id extends OperationId>
  extends Pick<Caller, "isPerson" | "limitedTo" | "ceiling" | "grantsUntil" | "rememberedId"> {
  readonly operation: Operation;
  readonly params: Params<Entry<Id>["path"]>;
  readonly query: Of<Id, "query">;
  readonly body: Of<Id, "body">;
  readonly actor: When<Public<Id> extends true ? false : true, Actor>;
  readonly organizationId: When<InWorkspace<Id>, string>;
  readonly role: When<InWorkspace<Id>, Role>;
  readonly permissions: readonly Permission[];
  readonly source: When<Entry<Id> extends { source: string } ? true : false, SourceRecord>;
  /** All sources of the request, of one workspace; the first is `source`. Only some operations take several. */
  readonly sources: readonly QueriedSource[];
  readonly now: number;
  readonly requestId: string;
  /** Rate limits count by this: the client's address, for IPv6 its /64. */
  readonly clientAddress: string;
  readonly headers: IncomingHttpHeaders;
  /** Makes an inner request, with every check except the token and its rate. */
  readonly ask: (request: InnerRequest) => Promise<InnerReply>;
  /** Aborts when the client disconnects, or may no longer see the answer. */
  readonly signal: AbortSignal;
}

/** The answer of an operation whose JSON answer is a `Body`. */
export type AnswerWith<Body> = {
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the operation's own status. */
  readonly status?: number;
} & (
  | { readonly body: Body }
  | { readonly text: string | Uint8Array; readonly mediaType: string }
  | { readonly document: Document }
  | {
      readonly stream: AsyncIterable<string | Uint8Array>;
      readonly mediaType: string;
      /** Aborts when the connection has to be closed before the end of the stream. */
      readonly cutOff?: AbortSignal;
    }
);
export type Answer<Id extends OperationId> = AnswerWith<Of<Id, "answer">>;

export type Handler<Id extends OperationId> = (call: Call<Id>) => Promise<Answer<Id>>;
/** A handler that gets what it works with beside the call. */
export type HandlerWith<Services, Id extends OperationId> = (
  call: Call<Id>,
  services: Services,
) => Promise<Answer<Id>>;

export interface CatalogServices {
  readonly catalog: Catalog;
  readonly newId: (prefix: string) => string;
}
/** A handler that needs only the catalog. */
export type CatalogHandler<Id extends OperationId> = HandlerWith<CatalogServices, Id>;

/** Throws a Refusal 422 when the fields of a body break a rule that the schema cannot express. */
export type FieldRule = (body: Readonly<Record<string, unknown>>, now: number) => unknown;
/**
 * The rules of each operation's body, which may have any shape. The guard applies them all, so that one answer lists all
 * issues.
 */
export type FieldRules = Readonly<Partial<Record<OperationId, readonly FieldRule[]>>>;

/** A handler for each operation; a missing one does not compile. */
export type Handlers = { readonly [Id in WorkspaceOperationId]: Handler<Id> };
export type HandlersWith<Services> = { readonly [Id in WorkspaceOperationId]: HandlerWith<Services, Id> };
