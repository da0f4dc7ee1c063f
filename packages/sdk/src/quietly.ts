/** The page must never see a mistake of ours: the function, without its exceptions. */
export const quietly =
  <Args extends unknown[], Result>(run: (...args: Args) => Result) =>
  (...args: Args): Result | undefined => {
    try {
      return run(...args);
    } catch {
      // an analytics call that failed is no reason to fail
    }
  };
