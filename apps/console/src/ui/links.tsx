/** The button and the text link, as links of the router. */
import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";
import { ButtonAnchor, classes } from "./primitives/elements.tsx";

export const ButtonLink = createLink(ButtonAnchor);

interface TextLinkProps extends ComponentProps<"a"> {
  /** Default: the size of the text around it. */
  readonly size?: "sm" | undefined;
  /** A link within a sentence is underlined. */
  readonly underline?: "always";
}

export const TextLink = createLink(({ size, underline, className, ...rest }: TextLinkProps) => (
  <a {...rest} className={classes("link", size && `text-${size}`, underline && "underlined", className)} />
));
