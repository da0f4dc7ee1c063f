/** A sentence of the service, in which `code` stands between backquotes. */
export const TextWithCode = ({ text }: { readonly text: string }) =>
  text.split("`").map((part, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a part is known by its place
    place % 2 === 1 ? <code key={place}>{part}</code> : part,
  );
