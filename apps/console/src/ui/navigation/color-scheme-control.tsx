/** Chooses between light, dark and the system's colours. */
import { setColorScheme, useColorScheme } from "../color-scheme.ts";
import { Icon } from "../icon.tsx";

const SCHEMES = [
  { value: "light", label: "Light", icon: "sun" },
  { value: "dark", label: "Dark", icon: "moon" },
  { value: "auto", label: "System", icon: "desktop" },
] as const;

export function ColorSchemeControl() {
  const colorScheme = useColorScheme();
  return (
    <fieldset aria-label="Theme" className="switcher">
      {SCHEMES.map(({ value, label, icon }) => (
        <button
          type="button"
          key={value}
          aria-label={label}
          title={label}
          aria-pressed={colorScheme === value}
          onClick={() => setColorScheme(value)}
        >
          <Icon name={icon} />
        </button>
      ))}
    </fieldset>
  );
}
