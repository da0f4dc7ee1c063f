/** Posts JSON to a webhook. Its address may be a secret, so no error names it. */

/** Also for reports. */
const WEBHOOK_TIMEOUT_MS = 10_000;

/** @throws Error when the webhook did not answer 2xx in time. Redirects are not followed: only the settings choose the host */
export async function postJson(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    redirect: "manual",
    signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
    headers: { "content-type": "application/json", "user-agent": "headwater", ...headers },
    body,
  }).catch((cause: unknown) => {
    throw new Error("no response from the webhook", { cause });
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the webhook responded with ${response.status}`);
}
