/** Text in which the parts between backquotes are shown as code. */
export const TextWithCode = ({ text }: { readonly text: string }) =>
  text.split("`").map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity than their position
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );
