/** A row of buttons of which one is chosen. */

interface SwitcherProps<Value extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

export const Switcher = <Value extends string>({ label, options, value, onChange }: SwitcherProps<Value>) => (
  <fieldset className="switcher" aria-label={label}>
    {options.map((option) => (
      <button
        type="button"
        key={option.value}
        aria-pressed={option.value === value}
        onClick={() => onChange(option.value)}
      >
        {option.label}
      </button>
    ))}
  </fieldset>
);
