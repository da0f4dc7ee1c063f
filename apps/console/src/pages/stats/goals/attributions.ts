/** The models of attribution, with what each counts a conversion for. */
export const ATTRIBUTIONS = [
  {
    value: "session",
    label: "Session",
    text: "Credits a conversion to the session in which it happened.",
  },
  {
    value: "firstTouch",
    label: "First touch",
    text: "Credits a conversion to the visitor’s first session in the 30 days before it.",
  },
  {
    value: "lastNonDirect",
    label: "Last non-direct",
    text: "Credits a conversion to the visitor’s last non-direct session in the 30 days before it.",
  },
] as const;
