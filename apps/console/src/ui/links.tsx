/** The library's components as links of the router. */
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

type OfAnchor<Props> = Props & Omit<ComponentProps<"a">, keyof Props>;

export const ButtonLink = createLink((props: OfAnchor<ButtonProps>) => <Button component="a" {...props} />);
export const TextLink = createLink((props: OfAnchor<AnchorProps>) => <Anchor {...props} />);
export const NavigationLink = createLink((props: OfAnchor<NavLinkProps>) => (
  <NavLink component="a" {...props} />
));
