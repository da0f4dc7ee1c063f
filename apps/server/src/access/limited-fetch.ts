/** Fetches what an identity provider answers, and reads no more than its answers ever need. */

/** An answer of the identity provider: its keys, its addresses, tokens, or what it says of a person. */
const PROVIDER_ANSWER_BYTES = 1024 * 1024;

/**
 * As `fetch`, but reading the body fails after `PROVIDER_ANSWER_BYTES`, and the connection ends.
 * @param options as of `fetch`; each caller's library has a type of its own for them
 */
export async function limitedFetch(url: string, options: object): Promise<Response> {
  const response = await fetch(url, options);
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  let left = PROVIDER_ANSWER_BYTES;
  const limited = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.byteLength;
        if (left >= 0) controller.enqueue(chunk);
        else controller.error(new Error(`${new URL(url).origin} sent a response that is too large`));
      },
    }),
  );
  return new Response(limited, { status, statusText, headers });
}
