/** The design system: type scale, accent colour and semantic colours. `app.css` has the colours that Mantine has no name for. */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple, Paper } from "@mantine/core";
import { createElement } from "react";
import { Icon } from "./icon.tsx";

const water: MantineColorsTuple = [
  "#e7f6fa",
  "#d2eaf1",
  "#a5d5e2",
  "#74bfd3",
  "#4eadc6",
  "#36a2be",
  "#2592b0",
  "#0b6e8a",
  "#085a72",
  "#03475b",
];

/** 0: text, 4: borders. Backgrounds: 6 of controls, 7 of cards, 8 of the page. */
const dark: MantineColorsTuple = [
  "#e6eaee",
  "#c5cdd4",
  "#a3adb6",
  "#74808b",
  "#343c45",
  "#2b3239",
  "#1d2227",
  "#15191d",
  "#0e1114",
  "#090b0d",
];

export const theme = createTheme({
  primaryColor: "water",
  primaryShade: { light: 7, dark: 7 },
  colors: { water, dark },
  defaultRadius: "md",
  radius: { sm: "0.25rem", md: "0.4375rem", lg: "0.75rem" },
  fontFamily: "Inter, 'Inter fallback', system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  // no text is smaller than 13 px
  fontSizes: { xs: "0.8125rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
  // a grid of 4 px
  spacing: { xs: "0.5rem", sm: "0.75rem", md: "1rem", lg: "1.5rem", xl: "2rem" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.375rem", lineHeight: "1.75rem" },
      h2: { fontSize: "1.25rem", lineHeight: "1.75rem" },
      h3: { fontSize: "1.125rem", lineHeight: "1.5rem" },
      h4: { fontSize: "1rem", lineHeight: "1.5rem" },
      h5: { fontSize: "0.9375rem", lineHeight: "1.375rem" },
    },
  },
  components: {
    Paper: Paper.extend({ defaultProps: { radius: "lg" } }),
    // the same arrow as on the buttons that open a panel
    NativeSelect: { defaultProps: { rightSection: createElement(Icon, { name: "chevronDown", size: 14 }) } },
    PasswordInput: {
      defaultProps: {
        visibilityToggleButtonProps: {
          "aria-label": "Show or hide the input",
          title: "Show or hide the input",
        },
      },
    },
    Switch: { defaultProps: { withThumbIndicator: false } },
  },
  cursorType: "pointer",
  respectReducedMotion: true,
});

/** Colours of texts have a contrast of at least 4.5:1 on each of the console's backgrounds. */
export const contrastColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-text": "#1a2128",
    "--mantine-color-default-border": "#d5dbe0",
    "--mantine-color-default-hover": "#f3f6f8",
    "--mantine-color-dimmed": "#55606b",
    "--mantine-color-placeholder": "#6b7580",
    "--mantine-color-anchor": "#085a72",
    "--mantine-color-error": "#b3261e",
    "--mantine-color-red-light": "#fdecea",
    "--mantine-color-green-light": "#e4f5e8",
    "--mantine-color-yellow-light": "#fcf4dc",
    "--mantine-color-gray-light": "#edf1f4",
    "--mantine-color-red-light-color": "#9c1f18",
    "--mantine-color-green-light-color": "#1b5e2b",
    "--mantine-color-yellow-light-color": "#6b4a00",
    "--mantine-color-gray-light-color": "#424a52",
    "--mantine-color-water-light-color": "#085a72",
    "--mantine-color-red-filled": "#b3261e",
    "--mantine-color-red-filled-hover": "#9c1f18",
  },
  dark: {
    "--mantine-color-text": "#e6eaee",
    "--mantine-color-default-border": "#343c45",
    "--mantine-color-dimmed": "#a3adb6",
    "--mantine-color-placeholder": "#929da7",
    "--mantine-color-anchor": "#7cc6da",
    "--mantine-color-error": "#ff9d95",
    "--mantine-color-red-light": "#3a1d1c",
    "--mantine-color-green-light": "#17301f",
    "--mantine-color-yellow-light": "#372d10",
    "--mantine-color-gray-light": "#262c32",
    "--mantine-color-water-light": "#153641",
    "--mantine-color-red-light-color": "#ffaea8",
    "--mantine-color-green-light-color": "#8fdca4",
    "--mantine-color-yellow-light-color": "#f3d27a",
    "--mantine-color-gray-light-color": "#c9d0d6",
    "--mantine-color-water-light-color": "#9ad6e6",
    "--mantine-color-red-filled": "#b3261e",
    "--mantine-color-red-filled-hover": "#9c1f18",
  },
});
