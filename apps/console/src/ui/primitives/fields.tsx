/** Form fields: a native control with its label, its help and the message about a wrong value. */
import { type ComponentProps, type ReactNode, useId, useState } from "react";
import { Icon, type IconName } from "../icon.tsx";
import { classes, type Placement, place } from "./elements.tsx";

interface FieldLook extends Pick<Placement, "maw" | "flex"> {
  readonly label?: ReactNode;
  readonly description?: ReactNode;
  readonly error?: ReactNode;
  /** The class of the whole field. */
  readonly className?: string | undefined;
}
type FieldProps<Tag extends "input" | "select" | "textarea"> = FieldLook &
  Omit<ComponentProps<Tag>, keyof FieldLook | "size">;
type ControlProps = FieldLook & Pick<ComponentProps<"input">, "required" | "aria-describedby">;

/** Joins a control to its texts. @returns the props of the field and those of its control */
function useField<Props extends ControlProps>(props: Props) {
  const { label, description, error, className, maw, flex, ...rest } = props;
  const id = useId();
  const help = description ? `${id}-help` : undefined;
  const problem = error ? `${id}-error` : undefined;
  const field = { id, label, description, error, className, maw, flex, isRequired: props.required === true };
  const control = {
    ...rest,
    id,
    "aria-describedby": classes(problem, help, props["aria-describedby"]) || undefined,
    "aria-invalid": problem === undefined ? undefined : true,
  };
  return { field, control };
}

interface FieldFrameProps extends FieldLook {
  readonly id: string;
  readonly isRequired: boolean;
  readonly children: ReactNode;
}

const Field = (props: FieldFrameProps) => {
  const { id, label, description, error, isRequired, className, children, ...placement } = props;
  return (
    <div {...place(placement)} className={classes("field", className)}>
      {label && (
        <label htmlFor={id} className="field-label">
          {label}
          {isRequired && <span aria-hidden> *</span>}
        </label>
      )}
      <FieldText id={`${id}-help`} className="field-help" text={description} />
      <div className="input-box">{children}</div>
      <FieldText id={`${id}-error`} className="field-error" text={error} />
    </div>
  );
};

interface FieldTextProps {
  readonly id: string;
  readonly className: string;
  readonly text: ReactNode;
}

const FieldText = ({ id, className, text }: FieldTextProps) =>
  text ? (
    <p id={id} className={className}>
      {text}
    </p>
  ) : null;

export interface TextInputProps extends FieldProps<"input"> {
  /** A picture before the text. */
  readonly icon?: IconName;
}

export function TextInput({ icon, ...props }: TextInputProps) {
  const { field, control } = useField(props);
  return (
    <Field {...field}>
      <input type="text" {...control} className={classes("input", icon && "input-search")} />
      {icon && <Icon name={icon} />}
    </Field>
  );
}

/** A field for a secret, with a button that shows what was typed. */
export function PasswordInput(props: FieldProps<"input">) {
  const { field, control } = useField(props);
  const [isShown, setShown] = useState(false);
  return (
    <Field {...field}>
      <input {...control} type={isShown ? "text" : "password"} className="input input-secret" />
      <button
        type="button"
        className="input-button"
        aria-label="Show typed text"
        title="Show typed text"
        aria-pressed={isShown}
        onClick={() => setShown(!isShown)}
      >
        <Icon name="eye" size={18} />
      </button>
    </Field>
  );
}

export interface TextareaProps extends Omit<FieldProps<"textarea">, "rows"> {
  readonly value: string;
  /** It is as high as its text within these numbers of lines. */
  readonly minRows: number;
  readonly maxRows: number;
}

export function Textarea({ minRows, maxRows, ...props }: TextareaProps) {
  const { field, control } = useField(props);
  const rows = Math.min(Math.max(props.value.split("\n").length, minRows), maxRows);
  return (
    <Field {...field}>
      <textarea {...control} rows={rows} className="input" />
    </Field>
  );
}

export interface SelectOption {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}
interface OptionGroup {
  readonly group: string;
  readonly items: readonly SelectOption[];
}

interface NativeSelectProps extends FieldProps<"select"> {
  readonly data: readonly (string | SelectOption | OptionGroup)[];
}

const toOption = (option: string | SelectOption) => {
  const { value, label, disabled } = typeof option === "string" ? { value: option, label: option } : option;
  return (
    <option key={value} value={value} disabled={disabled}>
      {label}
    </option>
  );
};

export function NativeSelect({ data, ...props }: NativeSelectProps) {
  const { field, control } = useField(props);
  return (
    <Field {...field} className={classes("field-select", field.className)}>
      <select {...control} className="input">
        {data.map((option) =>
          typeof option === "object" && "group" in option ? (
            <optgroup key={option.group} label={option.group}>
              {option.items.map(toOption)}
            </optgroup>
          ) : (
            toOption(option)
          ),
        )}
      </select>
      {/* the same arrow as on the buttons that open a panel */}
      <Icon name="chevronDown" size={14} />
    </Field>
  );
}

interface SwitchProps extends Pick<ComponentProps<"input">, "checked" | "defaultChecked" | "onChange"> {
  readonly label: ReactNode;
  readonly description?: ReactNode;
}

export function Switch({ label, description, ...rest }: SwitchProps) {
  const id = useId();
  return (
    <div className="switch-field">
      <input
        {...rest}
        id={id}
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a native checkbox has its own state
        role="switch"
        className="switch"
        aria-describedby={description ? `${id}-help` : undefined}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        <FieldText id={`${id}-help`} className="field-help" text={description} />
      </div>
    </div>
  );
}
