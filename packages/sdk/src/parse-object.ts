/** Parses JSON and always returns an object. Invalid JSON gives an empty one. */
export function parseObject<T extends object>(text: string): Partial<T> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
