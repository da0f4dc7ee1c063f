/** The page must never see a mistake of ours: the function, without its exceptions. */
export const quietly =
  <Args extends unknown[]>(run: (...args: Args) => unknown) =>
  (...args: Args): void => {
    try {
      const result = run(...args);
      if (result instanceof Promise) result.catch(() => {});
    } catch {
      // an analytics call that failed is no reason to fail
    }
  };
