/** The command line as an operator types it on the server: `npx headwater` in a checkout, `headwater` in a container. */
export const HEADWATER =
  document.querySelector<HTMLMetaElement>('meta[name="headwater-command"]')?.content || "headwater";
