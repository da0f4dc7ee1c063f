import type { Client } from "../client.ts";

/** Counts submitted forms as `form_submit`, with the form's id and name, but never the input. */
export const forms = (client: Client): void =>
  addEventListener(
    "submit",
    ({ target }) => {
      if (!(target instanceof HTMLFormElement)) return;
      // A field named "id", "name" or "getAttribute" would shadow the form's own member.
      const [id, name] = ["id", "name"].map(
        (attribute) => Element.prototype.getAttribute.call(target, attribute) ?? undefined,
      );
      client.track("form_submit", { id, name, path: location.pathname }, { passive: true });
    },
    true,
  );
