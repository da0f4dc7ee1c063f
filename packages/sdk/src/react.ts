"use client";

import { createContext, createElement, type ReactNode, useContext, useMemo } from "react";
import { type Client, type ClientOptions, createClient } from "./index.ts";

const AnalyticsContext = createContext<Client | null>(null);

export interface AnalyticsProviderProps extends ClientOptions {
  readonly children?: ReactNode;
}

/** Gives the components inside it the client. Rendered twice, under StrictMode or by mistake, it is the same client. */
export function AnalyticsProvider({ children, ...options }: AnalyticsProviderProps): ReactNode {
  const { publicKey, apiBaseUrl } = options;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the other options are those of the start
  const client = useMemo(() => createClient(options), [publicKey, apiBaseUrl]);
  return createElement(AnalyticsContext.Provider, { value: client }, children);
}

/** The client of the provider around this component; on a server one that does nothing. */
export function useAnalytics(): Client {
  const client = useContext(AnalyticsContext);
  if (!client)
    throw new Error("Headwater: useAnalytics() needs an <AnalyticsProvider> around its component.");
  return client;
}
