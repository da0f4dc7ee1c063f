/** Whether an origin is of the visitor's own machine or network, which the server does not request. */
export const isLocalOrigin = (origin: string): boolean =>
  /^https?:\/\/(?:localhost|[^./:]+|[^/:]+\.(?:localhost|local|internal|test)|(?:127|10)\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|\[.*\])(?::|$)/.test(
    origin,
  );
