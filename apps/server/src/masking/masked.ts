/** What stands for a secret. */
export const MASKED = "[masked]";
