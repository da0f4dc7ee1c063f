/** Mantine's button and anchor, as links of the router. */
import { Anchor, type AnchorProps, Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";

type WithAnchorProps<Props> = Props & Omit<ComponentProps<"a">, keyof Props>;

export const ButtonLink = createLink((props: WithAnchorProps<ButtonProps>) => (
  <Button component="a" {...props} />
));
export const TextLink = createLink((props: WithAnchorProps<AnchorProps>) => <Anchor {...props} />);
