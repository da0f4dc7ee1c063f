const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text between tags, where quotes need no escaping. */
export const escapeText = (text: string): string =>
  text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);

/** Text as HTML, safe within a quoted attribute too. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
