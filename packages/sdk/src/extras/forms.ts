import type { Client } from "../client.ts";

/** Counts forms that are submitted, as `form_submit` with what names the form; never what was typed into it. */
export const forms = (client: Client): void =>
  document.addEventListener(
    "submit",
    ({ target }) => {
      if (!(target instanceof HTMLFormElement)) return;
      // A field of that name would stand in the form's way.
      const [id, name] = ["id", "name"].map((attribute) => target.getAttribute(attribute) ?? undefined);
      client.track("form_submit", { id, name, path: location.pathname });
    },
    true,
  );
