/** Wraps a function so that it logs a warning instead of throwing. The client must never break the page. */
export const catchErrors =
  <Args extends unknown[], Result>(run: (...args: Args) => Result) =>
  (...args: Args): Result | undefined => {
    try {
      return run(...args);
    } catch (error) {
      return console.warn("Headwater:", error) as undefined;
    }
  };
