/** Light or dark colours, as chosen in this browser. Without a choice the styles follow the system. */
import { useSyncExternalStore } from "react";

export type ColorScheme = "light" | "dark" | "auto";

const STORED = "headwater.colors";
const listeners = new Set<() => void>();
const root = document.documentElement;

function storedScheme(): ColorScheme {
  try {
    const stored = localStorage.getItem(STORED);
    return stored === "light" || stored === "dark" ? stored : "auto";
  } catch {
    return "auto";
  }
}

let chosen = storedScheme();

function apply(scheme: ColorScheme): void {
  chosen = scheme;
  if (scheme === "auto") delete root.dataset.colorScheme;
  else root.dataset.colorScheme = scheme;
  for (const listener of listeners) listener();
}

apply(chosen);
addEventListener("storage", ({ key }) => key === STORED && apply(storedScheme()));

export function setColorScheme(scheme: ColorScheme): void {
  apply(scheme);
  try {
    localStorage.setItem(STORED, scheme);
  } catch {
    // it is chosen until the page is closed
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useColorScheme = (): ColorScheme => useSyncExternalStore(subscribe, () => chosen);
