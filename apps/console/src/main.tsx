import "./trusted-types.ts";
import "./ui/color-scheme.ts";
import "./ui/font.css";
import "./ui/primitives/primitives.css";
import "./ui/base.css";
import "./ui/app.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { printInLightColors } from "./print.ts";
import { queryClient } from "./queries.ts";
import { router } from "./router.tsx";

printInLightColors();
createRoot(document.getElementById("root")!).render(
  <QueryClientProvider client={queryClient}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
);
