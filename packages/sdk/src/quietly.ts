/** The page must never fail by a call of ours: the function, with a warning in place of its exceptions. */
export const quietly =
  <Args extends unknown[], Result>(run: (...args: Args) => Result) =>
  (...args: Args): Result | undefined => {
    try {
      return run(...args);
    } catch (error) {
      return console.warn("Headwater:", error) as undefined;
    }
  };
