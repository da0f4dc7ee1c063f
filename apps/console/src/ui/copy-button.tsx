import { useEffect, useState } from "react";
import { Button } from "./primitives/elements.tsx";

/** How long the button shows the result. */
const RESULT_SHOWN_MS = 2_000;

/**
 * Copies text to the clipboard. `navigator.clipboard` exists only on https and localhost; other pages use
 * `document.execCommand`.
 * @returns whether the text was copied
 */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "copied-text";
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}

interface CopyButtonProps {
  /** undefined: it is still loading. */
  readonly text: string | undefined;
  readonly label?: string;
  readonly isPrimary?: boolean;
}

export function CopyButton({ text, label = "Copy", isPrimary = false }: CopyButtonProps) {
  const [result, setResult] = useState<string | null>(null);
  useEffect(() => {
    if (result === null) return;
    const timer = setTimeout(() => setResult(null), RESULT_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = async () => setResult((await copyText(text ?? "")) ? "Copied" : "Could not copy");
  return (
    <Button
      size="xs"
      disabled={text === undefined}
      variant={result !== null ? "light" : isPrimary ? "filled" : "default"}
      onClick={() => void copy()}
      aria-live="polite"
    >
      {result ?? label}
    </Button>
  );
}
