/** A link to the visitor page, which then links back to this page. */
import type { ComponentProps } from "react";
import { TextLink } from "../../ui/links.tsx";
import { useFromSearch, useVisitorLinkState } from "./opened-from.ts";

interface VisitorLinkProps
  extends Pick<ComponentProps<typeof TextLink>, "children" | "className" | "title" | "size"> {
  readonly search: Readonly<Record<string, string>>;
}

export const VisitorLink = ({ size = "sm", search, ...props }: VisitorLinkProps) => (
  <TextLink
    to="/analytics/visitor"
    search={{ ...search, ...useFromSearch() }}
    state={useVisitorLinkState()}
    size={size}
    {...props}
  />
);
