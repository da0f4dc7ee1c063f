/**
 * Calls the handler of an API operation, with the checks that a request would pass. The caller has the role owner,
 * because whoever runs a command can read the ledger itself.
 */
import { operation, ROLE_PERMISSIONS } from "@headwater/contract";
import type { TSchema } from "typebox";
import { Refusal } from "../core/refusal.ts";
import { compile } from "../core/validate.ts";
import type { Answer, Call, CatalogServices, HandlerWith, WorkspaceOperationId } from "../http/handler.ts";
import { COMMAND_LINE, type WorkspaceAccess } from "./ledger-access.ts";

type CallInput<Id extends WorkspaceOperationId> = Partial<
  Pick<Call<Id>, "body" | "query" | "params" | "source" | "actor">
>;
type AnswerBody<Id extends WorkspaceOperationId> = Extract<Answer<Id>, { readonly body: unknown }>["body"];

function checkShape(schema: TSchema | undefined, body: unknown): void {
  if (!schema || body === undefined) return;
  const check = compile(schema);
  if (!check(body)) throw new Refusal("invalid_payload", { issues: check.issues(body) });
}

/** Only operations that answer with a body are called; streams and texts are for HTTP. */
const hasBody = <Id extends WorkspaceOperationId>(
  answer: Answer<Id>,
): answer is Extract<Answer<Id>, { readonly body: unknown }> => "body" in answer;

/** The services of an operation that a command calls. */
interface CommandServices extends CatalogServices {
  readonly config: { readonly WORKSPACE_CREATION: "anyone" };
  readonly isOperator: () => Promise<boolean>;
}

/** @throws Refusal as the operation does */
export async function callOperation<Id extends WorkspaceOperationId>(
  { organizationId, now, ledger, newId }: WorkspaceAccess,
  id: Id,
  handler: HandlerWith<CommandServices, Id>,
  input: CallInput<Id> = {},
): Promise<AnswerBody<Id>> {
  const entry = operation(id);
  checkShape(entry.body, input.body);
  const call = {
    operation: entry,
    params: {},
    query: {},
    body: undefined,
    actor: COMMAND_LINE,
    isPerson: true,
    limitedTo: null,
    rememberedId: null,
    ceiling: null,
    grantsUntil: null,
    sourceId: null,
    scope: null,
    organizationId,
    role: "owner",
    permissions: ROLE_PERMISSIONS.owner,
    source: null,
    now,
    requestId: "command-line",
    clientAddress: "",
    headers: {},
    signal: new AbortController().signal,
    ...input,
  };
  const services: CommandServices = {
    catalog: ledger,
    newId,
    config: { WORKSPACE_CREATION: "anyone" },
    isOperator: async () => true,
  };
  // the type of a call depends on the operation; its shape has been checked above
  const answer = await handler(call as never, services);
  if (!hasBody(answer)) throw new Error(`the operation ${id} has no answer body`);
  return answer.body;
}
