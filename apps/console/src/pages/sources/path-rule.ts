/** What the forms say about a path that the API refuses. */
export const PATH_RULE = "A path starts with / and contains no spaces, ? or #. Use * as a wildcard.";
