import "@mantine/core/styles.css";
import "./ui/app.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { queryClient } from "./queries.ts";
import { router } from "./router.tsx";
import { colours, theme } from "./ui/theme.ts";

/** This answer's, which the style elements that libraries add must carry. */
const nonce = document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
// where the library that keeps the page behind a dialog from scrolling looks for it
Object.assign(globalThis, { __webpack_nonce__: nonce });

createRoot(document.getElementById("root")!).render(
  <MantineProvider
    defaultColorScheme="auto"
    theme={theme}
    cssVariablesResolver={colours}
    getStyleNonce={() => nonce}
  >
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
);
