/** Mantine's button, anchor and navigation link, as links of the router. */
import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  NavLink,
  type NavLinkProps,
} from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";

type WithAnchorProps<Props> = Props & Omit<ComponentProps<"a">, keyof Props>;

export const ButtonLink = createLink((props: WithAnchorProps<ButtonProps>) => (
  <Button component="a" {...props} />
));
export const TextLink = createLink((props: WithAnchorProps<AnchorProps>) => <Anchor {...props} />);
export const NavigationLink = createLink((props: WithAnchorProps<NavLinkProps>) => (
  <NavLink component="a" {...props} />
));
