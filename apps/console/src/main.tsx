import "./trusted-types.ts";
import "./ui/mantine.css";
import "./ui/font.css";
import "./ui/base.css";
import "./ui/app.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { printInLightColors } from "./print.ts";
import { queryClient } from "./queries.ts";
import { router } from "./router.tsx";
import { contrastColors, theme } from "./ui/theme.ts";

/** The nonce of this response's Content-Security-Policy. The `<style>` elements that libraries add must carry it. */
const nonce = document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";

printInLightColors();
createRoot(document.getElementById("root")!).render(
  <MantineProvider
    defaultColorScheme="auto"
    theme={theme}
    cssVariablesResolver={contrastColors}
    getStyleNonce={() => nonce}
  >
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
);
