"use client";

import { createContext, createElement, type ReactNode, useContext, useEffect, useMemo, useRef } from "react";
import { type Client, type ClientOptions, createClient } from "./index.ts";

const AnalyticsContext = createContext<Client | null>(null);

export interface AnalyticsProviderProps extends ClientOptions {
  readonly children?: ReactNode;
}

/**
 * Provides the client to `useAnalytics` and passes changes of the `consent` prop to it. Rendering it twice, as StrictMode
 * does, uses the same client.
 */
export function AnalyticsProvider({ children, ...options }: AnalyticsProviderProps): ReactNode {
  const { publicKey, apiBaseUrl, consent } = options;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the other options are read only when the client starts
  const client = useMemo(() => createClient(options), [publicKey, apiBaseUrl]);
  // The initial value was passed to createClient. Only later changes of the prop are passed on.
  const lastConsent = useRef(consent);
  useEffect(() => {
    if (consent && lastConsent.current !== consent) client.setConsent(consent);
    lastConsent.current = consent;
  }, [client, consent]);
  return createElement(AnalyticsContext.Provider, { value: client }, children);
}

/** Returns the client of the provider around the component. On a server it does nothing. */
export function useAnalytics(): Client {
  const client = useContext(AnalyticsContext);
  if (!client)
    throw new Error("Headwater: useAnalytics() needs an <AnalyticsProvider> around the component.");
  return client;
}
