/** The error that forms show for a path that the API refuses. */
export const PATH_RULE = "A path starts with / and contains no spaces, ? or #. Use * as a wildcard.";
