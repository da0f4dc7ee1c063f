/** The example of an operation as a command to paste. */
import type { OpenApiOperation, OpenApiParameter } from "@headwater/contract";
import { shellLiteral } from "../../core/text.ts";

const exampleText = ({ example, name }: OpenApiParameter): string => String(example ?? `{${name}}`);

function urlOf(path: string, parameters: readonly OpenApiParameter[]): string {
  const inPath = parameters.filter((one) => one.in === "path");
  const filled = inPath.reduce(
    (url, parameter) => url.replace(`{${parameter.name}}`, encodeURIComponent(exampleText(parameter))),
    path,
  );
  const query = new URLSearchParams();
  for (const parameter of parameters) {
    if (parameter.in === "query" && parameter.example !== undefined)
      query.set(parameter.name, exampleText(parameter));
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

/** The body as a word of the shell, with the time at which the command runs: an event of the past shows in no stats of today. */
const quoteBody = (body: unknown) =>
  shellLiteral(JSON.stringify(body, null, 2)).replace(
    /("(?:sentAt|timestamp)": )"[^"]*"/g,
    (_, member: string) => `${member}"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'"`,
  );

/** Without `Origin`: with it, curl claims to be a page, so its events count as those of a bot. */
function headersOf({ security, requestBody }: OpenApiOperation): string[] {
  const needsToken = security === undefined || Object.keys(security[0] ?? {}).length > 0;
  return [
    ...(needsToken ? [`"Authorization: Bearer $TOKEN"`] : []),
    ...(requestBody ? [shellLiteral("Content-Type: application/json")] : []),
  ];
}

/** @param route its address without the host, and its method in lower case */
export function curlOf(
  server: string,
  { method, path }: { method: string; path: string },
  operation: OpenApiOperation,
): string {
  const body = operation.requestBody?.content["application/json"]?.example;
  const isDefault = method === "get" || (method === "post" && body !== undefined);
  const lines = [
    `curl ${isDefault ? "" : `-X ${method.toUpperCase()} `}${shellLiteral(server + urlOf(path, operation.parameters))}`,
    ...headersOf(operation).map((header) => `  -H ${header}`),
    ...(body === undefined ? [] : [`  -d ${quoteBody(body)}`]),
  ];
  return lines.join(" \\\n");
}
