/** The models of attribution, with what each counts a conversion for. */
export const ATTRIBUTIONS = [
  {
    value: "session",
    label: "Session",
    text: "Each conversion counts for its own session.",
  },
  {
    value: "firstTouch",
    label: "First touch",
    text: "Each conversion counts for the first session of its visitor in the 30 days before it.",
  },
  {
    value: "lastNonDirect",
    label: "Last not direct",
    text: "Each conversion counts for the last session of its visitor that is not direct, in the 30 days before it.",
  },
] as const;
