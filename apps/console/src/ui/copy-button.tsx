import { Button } from "@mantine/core";
import { useEffect, useState } from "react";

const SHOWN_MS = 2_000;

/** Browsers have a clipboard for pages of https and of this machine only; for others there is the old way. */
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

export function CopyButton({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) {
  const [said, say] = useState<string | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => say(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => say((await copyText(text)) ? "Copied" : "Mark it and copy it");
  return (
    <Button
      size="xs"
      variant={said === null ? "default" : "light"}
      onClick={() => void copy()}
      aria-live="polite"
    >
      {said ?? label}
    </Button>
  );
}
