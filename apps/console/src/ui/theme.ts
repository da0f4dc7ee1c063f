import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

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

export const theme = createTheme({
  primaryColor: "water",
  primaryShade: { light: 7, dark: 7 },
  colors: { water },
  defaultRadius: "md",
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  // no text is smaller than 13 px
  fontSizes: { xs: "0.8125rem", sm: "0.875rem", md: "0.9375rem", lg: "1.0625rem", xl: "1.25rem" },
  headings: { fontWeight: "650" },
  cursorType: "pointer",
  respectReducedMotion: true,
});

/** Replaces those of Mantine's colours whose contrast is below 4.5:1. */
export const contrastColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#55606b",
    "--mantine-color-placeholder": "#6b7580",
    "--mantine-color-anchor": "#085a72",
    "--mantine-color-error": "#b3261e",
    "--mantine-color-red-light-color": "#9c1f18",
    "--mantine-color-green-light-color": "#1b5e2b",
    "--mantine-color-yellow-light-color": "#6b4a00",
    "--mantine-color-gray-light-color": "#424a52",
    "--mantine-color-water-light-color": "#085a72",
    "--mantine-color-red-filled": "#b3261e",
    "--mantine-color-red-filled-hover": "#9c1f18",
  },
  dark: {
    "--mantine-color-dimmed": "#a9b1b8",
    "--mantine-color-placeholder": "#98a0a8",
    "--mantine-color-anchor": "#7cc6da",
    "--mantine-color-error": "#ff9d95",
    "--mantine-color-red-light": "#43211f",
    "--mantine-color-green-light": "#1c3625",
    "--mantine-color-yellow-light": "#3d3212",
    "--mantine-color-gray-light": "#33383d",
    "--mantine-color-red-light-color": "#ffaea8",
    "--mantine-color-green-light-color": "#8fdca4",
    "--mantine-color-yellow-light-color": "#f3d27a",
    "--mantine-color-gray-light-color": "#c9d0d6",
    "--mantine-color-water-light-color": "#9ad6e6",
    "--mantine-color-red-filled": "#b3261e",
    "--mantine-color-red-filled-hover": "#9c1f18",
  },
});
