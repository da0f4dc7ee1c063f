/** The example of an operation as a command to paste. */
import type { OpenApiOperation, OpenApiParameter } from "@headwater/contract";

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

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

/** The page whose events the examples show. */
const ORIGIN = "https://shop.example";

function headersOf({ security, requestBody }: OpenApiOperation): string[] {
  const [scheme] = security;
  const isIngest = scheme !== undefined && Object.keys(scheme).length === 0;
  return [
    ...(scheme && !isIngest ? [`"Authorization: Bearer $TOKEN"`] : []),
    ...(isIngest ? [quote(`Origin: ${ORIGIN}`)] : []),
    ...(requestBody ? [quote("Content-Type: application/json")] : []),
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
    `curl ${isDefault ? "" : `-X ${method.toUpperCase()} `}${quote(server + urlOf(path, operation.parameters))}`,
    ...headersOf(operation).map((header) => `  -H ${header}`),
    ...(body === undefined ? [] : [`  -d ${quote(JSON.stringify(body, null, 2))}`]),
  ];
  return lines.join(" \\\n");
}
