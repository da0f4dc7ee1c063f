import type { Client } from "../client.ts";

/** Counts submitted forms as `form_submit`, with the form's id and name, but never the input. */
export const forms = (client: Client): void =>
  document.addEventListener(
    "submit",
    ({ target }) => {
      if (!(target instanceof HTMLFormElement)) return;
      // getAttribute, because a field named "id" or "name" would shadow the form's own property.
      const [id, name] = ["id", "name"].map((attribute) => target.getAttribute(attribute) ?? undefined);
      client.track("form_submit", { id, name, path: location.pathname }, { passive: true });
    },
    true,
  );
