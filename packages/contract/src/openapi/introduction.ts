/** The rules for all operations: the description of the document, and the beginning of the documentation. Markdown. */
export const INTRODUCTION = `Headwater receives events from web applications and answers queries about them. Applications send events with the public key of a source. Everything else needs an access token.

## Requests

Bodies are JSON in UTF-8. Times are ISO 8601 in UTC with milliseconds. A value that is known to be absent is \`null\`.

## Authentication

Send an access token as \`Authorization: Bearer <token>\`. Create one with \`POST /api/tokens\` or \`headwater token create\`. A token in the query string is ignored. Pages need no token. The public key in the path identifies the source, and the source lists the origins that may use it.

## Errors

Every failure has the same shape. \`code\` says what went wrong and never changes, \`message\` says it in a sentence, and \`hint\` says what to do. With status 422, \`issues\` lists every field that is not valid. When you report a problem, include \`requestId\`.

## Retries

A request with \`retryable: true\` can succeed later. Responses with status 429 and 503 say in \`Retry-After\` how many seconds to wait. Events can be sent again at any time with the same ids: each is stored and counted once. The npm package \`@headwater/api\` does all of this.

## Rate limits

When a rate limit is exceeded, the response is 429 \`rate_limited\` with the headers \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`.

## Pages of lists

A list has \`nextCursor\`. Pass it as \`cursor\` to get the next page. It is \`null\` on the last page.

## Versions

The ingest routes have a version in their path. Members are only ever added to responses, so ignore those that you do not know. A deprecated route responds with the headers \`Deprecation\` and \`Link\`.
`;
