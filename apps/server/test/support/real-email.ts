import fc from "fast-check";

/** Extensions of files are no top-level domains. */
const FILE_EXTENSION =
  /\.(?:avif|css|csv|gif|html?|ico|jpe?g|json|jsx?|map|min|mjs|mp[34]|pdf|php|png|svg|tsx|txt|web[mp]|woff2?|xml|ya?ml)$/;

/** E-mail addresses without the signs that separate parts of a URL. */
export const realEmail = fc
  .emailAddress()
  .filter((email) => /^[\w!$'*+.^`{|}~-]+@/.test(email) && !FILE_EXTENSION.test(email));
