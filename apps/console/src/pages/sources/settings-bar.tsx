/** The bar at the bottom of the settings while there are changes, and once they are saved. */
import { type FormEvent, useEffect, useRef } from "react";
import { ApiFailure } from "../../api.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { pluralize } from "../../ui/format-count.ts";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { Button, Group, Text } from "../../ui/primitives/elements.tsx";

interface SettingsBarProps {
  readonly saved: { readonly isPending: boolean; readonly error: Error | null };
  readonly count: number;
  /** The sections with changes. */
  readonly titles: readonly string[];
  /** The sections that were changed elsewhere, too. */
  readonly conflicts: readonly string[];
  readonly isSaved: boolean;
  /** Whether a save was tried although fields are marked. */
  readonly isMarked: boolean;
  readonly onSave: (event: FormEvent) => void;
  readonly onDiscard: () => void;
}

const list = new Intl.ListFormat("en");

export function SettingsBar(props: SettingsBarProps) {
  const { saved, count, titles, conflicts, isSaved, isMarked, onSave, onDiscard } = props;
  const hasIssues = saved.error instanceof ApiFailure && saved.error.issues.length > 0;
  const status = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // the button that had the focus is gone
    if (isSaved && document.activeElement === document.body) status.current?.focus();
  }, [isSaved]);
  return (
    <form className="settings-bar" aria-label="Changes" onSubmit={onSave} noValidate>
      {saved.error && !hasIssues && <ErrorAlert error={saved.error} />}
      {conflicts.length > 0 && (
        <Text size="sm" role="alert">
          {list.format(conflicts)} changed elsewhere while you were editing. Save overwrites that change.
          Discard loads it.
        </Text>
      )}
      {(isMarked || hasIssues) && (
        <Text size="sm" role="alert">
          Fix the highlighted fields, then save.
        </Text>
      )}
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" role="status" ref={status} tabIndex={-1}>
          {isSaved ? (
            "Saved"
          ) : (
            <>
              <strong>{pluralize(count, "change")}</strong>
              <span className="settings-titles"> in {list.format(titles)}</span>
            </>
          )}
        </Text>
        {!isSaved && (
          <Group gap="xs" wrap="nowrap">
            <Button variant="default" onClick={onDiscard}>
              Discard
            </Button>
            <AsyncButton type="submit" isPending={saved.isPending}>
              Save
            </AsyncButton>
          </Group>
        )}
      </Group>
    </form>
  );
}
