/** Printed pages have the light colours: browsers leave out dark backgrounds, on which light text would be readable. */
export function printInLightColors(root: HTMLElement = document.documentElement): void {
  let shown: string | undefined;
  addEventListener("beforeprint", () => {
    shown = root.dataset.colorScheme;
    root.dataset.colorScheme = "light";
  });
  addEventListener("afterprint", () => {
    if (shown === undefined) delete root.dataset.colorScheme;
    else root.dataset.colorScheme = shown;
  });
}
