/** An object, whatever the text is: what is no JSON, or no object, has no members. */
export function readObject<T extends object>(text: string): Partial<T> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
