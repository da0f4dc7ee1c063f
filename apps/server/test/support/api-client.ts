/** A typed client of the HTTP API: each operation of the contract is a method with the contract's types of request and response. */
import { OPERATIONS, type OperationId } from "@headwater/contract";
import type { Static, TSchema } from "typebox";

type OperationOf<Id extends OperationId> = Extract<(typeof OPERATIONS)[number], { id: Id }>;
type PartOf<Id extends OperationId, Part extends string> =
  OperationOf<Id> extends { [P in Part]: infer Schema extends TSchema } ? Static<Schema> : never;
type PathParams<Path> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? { [N in Name]: string } & PathParams<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? { [N in Name]: string }
    : Record<never, never>;

interface Credentials {
  /** Default: the owner's token. null: no token. */
  token?: string | null;
  headers?: Record<string, string>;
}

type ApiRequest<Id extends OperationId> = Credentials & {
  query?: Partial<PartOf<Id, "query">>;
  body?: PartOf<Id, "body">;
} & (keyof PathParams<OperationOf<Id>["path"]> extends never
    ? { params?: undefined }
    : { params: PathParams<OperationOf<Id>["path"]> });

/** The members of an error body; absent in a success. */
interface FailureBody {
  code: string;
  message: string;
  hint: string;
  issues: { path: (string | number)[]; code: string; message: string }[];
}

interface ApiReply<Id extends OperationId> {
  status: number;
  headers: Headers;
  text: string;
  /** Typed as the body of a success. `world.ts` has checked every reply, success or error, against the contract. */
  body: PartOf<Id, "answer"> & Partial<FailureBody>;
}

type RequestArguments<Id extends OperationId> =
  Record<never, never> extends ApiRequest<Id> ? [request?: ApiRequest<Id>] : [request: ApiRequest<Id>];
export type ApiClient = {
  readonly [Id in OperationId]: (...request: RequestArguments<Id>) => Promise<ApiReply<Id>>;
};

interface SentRequest extends Credentials {
  method: string;
  body?: unknown;
}
type Send = (path: string, request: SentRequest) => Promise<ApiReply<never>>;

interface LooseRequest extends Credentials {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

function pathOf(template: string, { params = {}, query = {} }: LooseRequest): string {
  const path = template.replace(/:(\w+)/g, (_match, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  return search.size === 0 ? path : `${path}?${search}`;
}

/** @param send sends one request and returns the checked reply */
export function createApiClient(send: Send): ApiClient {
  const methods = OPERATIONS.map(({ id, method, path }) => [
    id,
    (request: LooseRequest = {}) => {
      const { token, headers, body } = request;
      return send(pathOf(path, request), {
        method,
        body,
        ...(token !== undefined && { token }),
        ...(headers && { headers }),
      });
    },
  ]);
  return Object.fromEntries(methods) as ApiClient;
}
