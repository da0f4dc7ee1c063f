"use client";

import { createContext, createElement, type ReactNode, useContext, useEffect, useMemo, useRef } from "react";
import { type Client, type ClientOptions, createClient } from "./index.ts";

const AnalyticsContext = createContext<Client | null>(null);

export interface AnalyticsProviderProps extends ClientOptions {
  readonly children?: ReactNode;
}

/** Gives the components inside it the client, and that a `consent` that changes. Rendered twice, under StrictMode or by mistake, it is the same client. */
export function AnalyticsProvider({ children, ...options }: AnalyticsProviderProps): ReactNode {
  const { publicKey, apiBaseUrl, consent } = options;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the other options are those of the start
  const client = useMemo(() => createClient(options), [publicKey, apiBaseUrl]);
  // What it was at the start the client has already, and may have been told another since.
  const told = useRef(consent);
  useEffect(() => {
    if (consent && told.current !== consent) client.setConsent(consent);
    told.current = consent;
  }, [client, consent]);
  return createElement(AnalyticsContext.Provider, { value: client }, children);
}

/** The client of the provider around this component; on a server one that does nothing. */
export function useAnalytics(): Client {
  const client = useContext(AnalyticsContext);
  if (!client)
    throw new Error("Headwater: useAnalytics() needs an <AnalyticsProvider> around its component.");
  return client;
}
