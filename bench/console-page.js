/** Runs in the console pages that the bench opens: records when each part appeared, and scrolls lists. */
const seen = {};

function look() {
  const now = performance.now();
  const figures = [...document.querySelectorAll(".headline-figure")];
  if (document.querySelector("[role=slider]")) seen.chart ??= now;
  if (figures.length > 0 && figures.every(({ textContent }) => /\d/.test(textContent))) seen.headline ??= now;
  if (document.querySelectorAll(".ranking").length >= 4) seen.lists ??= now;
}
new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });

/** Scrolls one step per frame, like a mouse wheel. Resolves with the milliseconds of each frame. */
function scrollList(durationMs, pixels) {
  const list = document.querySelector("[role=listbox]");
  return new Promise((resolve) => {
    const frames = [];
    const begin = performance.now();
    let before = begin;
    const step = (now) => {
      frames.push(now - before);
      before = now;
      list.scrollBy(0, pixels);
      if (now - begin < durationMs) requestAnimationFrame(step);
      else resolve(frames.slice(1));
    };
    requestAnimationFrame(step);
  });
}

globalThis.bench = {
  /** null until all parts have appeared. */
  shown: () => (seen.chart && seen.headline && seen.lists ? seen : null),
  attempts: () => Number(document.querySelector("[aria-setsize]")?.getAttribute("aria-setsize") ?? 0),
  scrollList,
};
