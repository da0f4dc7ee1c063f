/** The models of attribution, with the session that each counts a conversion for. */
export const ATTRIBUTIONS = [
  { value: "session", label: "Session", counts: null },
  { value: "firstTouch", label: "First touch", counts: "first session" },
  { value: "lastNonDirect", label: "Last not direct", counts: "last session that is not direct" },
] as const;
