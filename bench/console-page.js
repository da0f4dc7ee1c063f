/** Runs in the console pages that the bench opens: records when each part appeared, and scrolls lists. */
const seen = {};

function look() {
  const now = performance.now();
  const figures = [...document.querySelectorAll(".metric-value")];
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

const BUSY = ".metrics .metric-value[aria-busy=true], .stats > [aria-busy=true]";
let shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });

/**
 * Does something that loads other figures. Resolves with the milliseconds until the headline and the chart are the new ones, and
 * with how far the page's parts have moved meanwhile (as Chromium measures layout shifts).
 */
function measureChange(change) {
  return new Promise((resolve) => {
    const begin = performance.now();
    const shiftedBefore = shifted;
    let wasBusy = false;
    const lookAgain = () => {
      const isBusy = document.querySelector(BUSY) !== null;
      if (wasBusy && !isBusy) {
        observer.disconnect();
        const ms = performance.now() - begin;
        // the frame that shows the figures reports its layout shifts
        requestAnimationFrame(() => setTimeout(() => resolve({ ms, shift: shifted - shiftedBefore })));
      }
      wasBusy ||= isBusy;
    };
    const observer = new MutationObserver(lookAgain);
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    change();
  });
}

/** Filters by the row of the list with that number. */
const filterBy = (list, row) =>
  measureChange(() =>
    document.querySelectorAll(".ranking")[list].querySelectorAll(".ranking-row")[row].click(),
  );

globalThis.bench = {
  /** null until all parts have appeared. */
  shown: () => (seen.chart && seen.headline && seen.lists ? seen : null),
  attempts: () => Number(document.querySelector("[aria-setsize]")?.getAttribute("aria-setsize") ?? 0),
  scrollList,
  filterBy,
};
