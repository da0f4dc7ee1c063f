/**
 * The one form of a source's settings. Each section edits its own fields, and one bar saves the changes of all of them in one
 * request. Unedited fields always show the current values of the source.
 */
import type { Source } from "@headwater/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type Dispatch,
  type FormEvent,
  type ReactNode,
  type SetStateAction,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react";
import { ApiFailure, api } from "../../api.ts";
import { sourceQuery, useInvalidateSource } from "../../queries.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Text } from "../../ui/primitives/elements.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { useShowWrongField } from "./sections.tsx";
import { SettingsBar } from "./settings-bar.tsx";
import type { SourcePatch } from "./source-update.ts";

/** A question before a change that deletes something. */
interface DeletionQuestion {
  readonly title: string;
  readonly confirmLabel: string;
  readonly text: string;
}

/** The fields that sections of the page edit together. Methods, so that a list can hold parts of different fields. */
export interface SettingsPart<Fields extends object> {
  /** The title of the section. */
  readonly title: string;
  stored(source: Source): Fields;
  /** Trims input and removes empty lines before it is sent. The API's issues refer to the indexes of the result. */
  normalize(edited: Partial<Fields>): Partial<Fields>;
  toPatch(changes: Partial<Fields>): SourcePatch;
  /** Whether every marked field was corrected. Without it, the API alone checks the fields. */
  isValid?(fields: Fields): boolean;
  /** @returns null when the change deletes nothing */
  question?(changes: Partial<Fields>, stored: Fields): DeletionQuestion | null;
}

/** Values of some fields of a part. */
type FieldValues = Readonly<Record<string, unknown>>;

/** The edited values of a part, and the stored ones at that time. */
interface Edit {
  readonly fields: FieldValues;
  readonly before: FieldValues;
}
type Edits = Readonly<Record<string, Edit>>;
const NO_EDIT: Edit = { fields: {}, before: {} };

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
const pick = (all: object, passes: (name: string, value: unknown) => boolean): FieldValues =>
  Object.fromEntries(Object.entries(all).filter(([name, value]) => passes(name, value)));

const storedValues = (part: SettingsPart<object>, source: Source): FieldValues => ({
  ...part.stored(source),
});

/** @returns the edited fields whose values differ from the stored ones, as they are sent */
function changesOf(part: SettingsPart<object>, source: Source, { fields }: Edit): FieldValues {
  const stored = storedValues(part, source);
  return pick(part.normalize(fields), (name, value) => !isSame(value, stored[name]));
}

/** Adds what was edited. A field that has its stored value again was not. */
function addChanges({ fields, before }: Edit, stored: FieldValues, changes: object): Edit {
  const edited = pick({ ...fields, ...changes }, (name, value) => !isSame(value, stored[name]));
  return { fields: edited, before: pick({ ...stored, ...before }, (name) => name in edited) };
}

const normalizeAll = (parts: readonly SettingsPart<object>[], edits: Edits): Edits =>
  Object.fromEntries(
    parts.flatMap((part) => {
      const edit = edits[part.title];
      return edit ? [[part.title, { ...edit, fields: { ...part.normalize(edit.fields) } }]] : [];
    }),
  );

/** Keeps what was edited while the others were sent. */
const withoutSent = (edits: Edits, sent: Edits): Edits =>
  Object.fromEntries(
    Object.entries(edits).map(([title, { fields, before }]) => {
      const kept = pick(fields, (name, value) => value !== sent[title]?.fields[name]);
      return [title, { fields: kept, before: pick(before, (name) => name in kept) }];
    }),
  );

/** The titles of the parts with a field that was changed elsewhere after it was edited here. */
const conflictsOf = (parts: readonly SettingsPart<object>[], source: Source, edits: Edits): string[] =>
  parts.flatMap((part) => {
    const edit = edits[part.title] ?? NO_EDIT;
    const stored = storedValues(part, source);
    const names = Object.keys(changesOf(part, source, edit));
    return names.some((name) => !isSame(edit.before[name], stored[name])) ? [part.title] : [];
  });

interface SettingsContext {
  readonly source: Source;
  readonly edits: Edits;
  readonly edit: (part: SettingsPart<object>, changes: object) => void;
  readonly submit: (event: FormEvent) => void;
  readonly failure: ApiFailure | null;
  /** Changes when the edits were saved or discarded. */
  readonly generation: number;
}
const Context = createContext<SettingsContext | null>(null);

function useSettingsContext(): SettingsContext {
  const context = useContext(Context);
  if (context === null) throw new Error("The settings form is missing");
  return context;
}

/** The submit handler of the form that a section is. */
export const useSettingsSubmit = () => useSettingsContext().submit;

/** The fields of a section, and what the API refused of them. */
export function useSettings<Fields extends object>(part: SettingsPart<Fields>) {
  const { source, edits, edit, failure, generation } = useSettingsContext();
  // only fields of this part are edited under its title
  const edited = (edits[part.title] ?? NO_EDIT).fields as Partial<Fields>;
  return {
    fields: { ...part.stored(source), ...edited },
    setFields: (changes: Partial<Fields>) => edit(part, changes),
    failure,
    generation,
  };
}

export type SettingsFields<Fields extends object> = ReturnType<typeof useSettings<Fields>>;

interface SettingsFormProps {
  readonly source: Source;
  readonly parts: readonly SettingsPart<object>[];
  readonly children: ReactNode;
}

interface SaveOptions extends Pick<SettingsFormProps, "source" | "parts"> {
  readonly edits: Edits;
  readonly setEdits: Dispatch<SetStateAction<Edits>>;
  readonly onSaved: () => void;
}

/** Sends the changes of all parts in one request, after what has to be said or asked before. */
function useSaveSettings({ source, parts, edits, setEdits, onSaved }: SaveOptions) {
  const { sourceId, organizationId } = source;
  const client = useQueryClient();
  const invalidateSource = useInvalidateSource();
  const [question, setQuestion] = useState<DeletionQuestion | null>(null);
  const changed = parts.map((part) => ({
    part,
    changes: changesOf(part, source, edits[part.title] ?? NO_EDIT),
  }));
  const conflicts = conflictsOf(parts, source, edits);
  const findQuestion = () =>
    changed.map(({ part, changes }) => part.question?.(changes, part.stored(source))).find(Boolean) ?? null;
  const saved = useMutation({
    /** @returns whether the changes were sent: a conflict is told once, and a question answered, before they are */
    mutationFn: async (isConfirmed: boolean) => {
      if (!isConfirmed) {
        const current = await client.fetchQuery({ ...sourceQuery(sourceId), staleTime: 0 });
        if (conflictsOf(parts, current, edits).some((title) => !conflicts.includes(title))) return false;
        const asked = findQuestion();
        setQuestion(asked);
        if (asked) return false;
      }
      const sent = normalizeAll(parts, edits);
      setEdits(sent);
      const patch = Object.assign({}, ...changed.map(({ part, changes }) => part.toPatch(changes)));
      await api.updateSource({ params: { sourceId }, body: { organizationId, ...patch } });
      await invalidateSource(sourceId);
      setEdits((current) => withoutSent(current, sent));
      onSaved();
      return true;
    },
  });
  const titles = changed
    .filter(({ changes }) => Object.keys(changes).length > 0)
    .map(({ part }) => part.title);
  const count = changed.reduce((sum, { changes }) => sum + Object.keys(changes).length, 0);
  return { saved, count, titles, conflicts, question, closeQuestion: () => setQuestion(null) };
}

/** @returns whether the browser takes the values of all fields */
const areFormsValid = (root: HTMLElement | null) =>
  [...(root?.querySelectorAll<HTMLFormElement>("form[data-settings]") ?? [])].every((form) =>
    form.checkValidity(),
  );

export function SettingsForm({ source, parts, children }: SettingsFormProps) {
  const root = useRef<HTMLDivElement>(null);
  const [edits, setEdits] = useState<Edits>({});
  const [generation, setGeneration] = useState(0);
  const renew = () => setGeneration((current) => current + 1);
  const [isMarked, setMarked] = useState(false);
  const saving = useSaveSettings({ source, parts, edits, setEdits, onSaved: renew });
  const { saved, count, question, closeQuestion } = saving;
  const { error } = saved;
  const edit = (part: SettingsPart<object>, changes: object) => {
    // removes the "Saved" message, which was about the previous input
    if (saved.isSuccess) saved.reset();
    setMarked(false);
    setEdits((current) => ({
      ...current,
      [part.title]: addChanges(current[part.title] ?? NO_EDIT, storedValues(part, source), changes),
    }));
  };
  const areValid = parts.every(
    (part) => part.isValid?.({ ...part.stored(source), ...edits[part.title]?.fields }) ?? true,
  );
  const showWrongField = useShowWrongField();
  const submit = useSubmit(async () => {
    if (count === 0) return;
    const canSave = areValid && areFormsValid(root.current);
    setMarked(!canSave);
    if (canSave) await saved.mutateAsync(false);
    else showWrongField(root.current);
  }, count > 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each answer of the API
  useEffect(() => {
    if (error instanceof ApiFailure && error.issues.length > 0) showWrongField(root.current);
  }, [error]);
  const discard = () => {
    setEdits({});
    setMarked(false);
    renew();
    saved.reset();
  };
  const failure = error instanceof ApiFailure ? error : null;
  const isSaved = saved.data === true && count === 0;
  return (
    <Context value={{ source, edits, edit, submit, failure, generation }}>
      <div ref={root}>{children}</div>
      {(count > 0 || isSaved) && (
        <SettingsBar {...saving} isSaved={isSaved} isMarked={isMarked} onSave={submit} onDiscard={discard} />
      )}
      <ConfirmDialog
        title={question?.title ?? ""}
        confirmLabel={question?.confirmLabel ?? ""}
        opened={question !== null}
        onClose={closeQuestion}
        onConfirm={() => saved.mutateAsync(true)}
      >
        <Text>{question?.text}</Text>
      </ConfirmDialog>
    </Context>
  );
}
