"use client";

// With the extension, because the package has no `exports` and Node does not resolve the path without it.
import { usePathname, useSearchParams } from "next/navigation.js";
import { createElement, type ReactNode, Suspense, useEffect, useRef } from "react";
import { type Client, type ClientOptions, createClient } from "./index.ts";
import { type AnalyticsProviderProps, AnalyticsProvider as Provider, useAnalytics } from "./react.ts";

export { type AnalyticsProviderProps, useAnalytics };

/** A frame of the same origin may show a page that counts its own views: the client decides. */
const isFrame = (): unknown => typeof window !== "undefined" && window.frameElement;

/**
 * The provider for app/layout.tsx. It also counts a view whenever the App Router shows another path or query. It reads the
 * query inside its own Suspense boundary, so static pages stay static.
 */
export function AnalyticsProvider({ children, ...options }: AnalyticsProviderProps): ReactNode {
  return createElement(
    Provider,
    isFrame() ? options : { ...options, autoPageViews: false },
    createElement(Suspense, null, createElement(PageViews)),
    children,
  );
}

/**
 * For instrumentation-client.ts: starts before the application hydrates and counts views automatically. A provider of the
 * same source then only provides the client to `useAnalytics`.
 */
export function startAnalytics(options: ClientOptions): Client {
  return createClient(options);
}

function PageViews(): null {
  const client = useAnalytics();
  const address = `${usePathname()}?${useSearchParams()}`;
  const counted = useRef("");
  useEffect(() => {
    // StrictMode runs every effect twice.
    if (counted.current === address || client.autoPageViews || isFrame()) return;
    counted.current = address;
    client.page();
  }, [client, address]);
  useEffect(() => {
    if (client.autoPageViews || isFrame()) return;
    const restored = ({ persisted }: PageTransitionEvent) => persisted && client.page();
    addEventListener("pageshow", restored);
    return () => removeEventListener("pageshow", restored);
  }, [client]);
  return null;
}
