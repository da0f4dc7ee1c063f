/** Parses JSON and always returns an object. Invalid JSON gives an empty one. */
export function parseObject<T extends object>(text: string): Partial<T> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Renders JSON. A `toJSON` that the page has given to all arrays, as Prototype before 1.7 does, is ignored. */
export const toJson = (content: unknown): string =>
  JSON.stringify(content, function (this: Record<string, unknown>, name, value) {
    return Array.isArray(this[name]) ? this[name] : value;
  });
