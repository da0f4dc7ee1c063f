/** The link to the page from which the visitor page was opened. */
import { useRouter } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { Icon } from "../../ui/icon.tsx";
import { TextLink } from "../../ui/links.tsx";
import type { VisitorOrigin } from "./opened-from.ts";

export function BackLink({ origin: { to, search, label, isPrevious } }: { readonly origin: VisitorOrigin }) {
  const { history } = useRouter();
  const goBack = (event: MouseEvent) => {
    const opensTab = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (!isPrevious || opensTab) return;
    // going back restores the scroll position, too
    event.preventDefault();
    history.back();
  };
  return (
    <TextLink to={to} search={search} size="sm" className="back-link" onClick={goBack}>
      <Icon name="arrowLeft" size={16} />
      <span className="visually-hidden">Back to </span>
      <bdi>{label}</bdi>
    </TextLink>
  );
}
