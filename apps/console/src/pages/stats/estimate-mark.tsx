/** The mark beside figures that are estimated. */
import type { StatsAccuracy } from "@headwater/contract";
import { numberFormatter } from "../../own-format.ts";

const percent = numberFormatter({ style: "percent", maximumSignificantDigits: 2 });

export function EstimateMark({ accuracy }: { readonly accuracy: StatsAccuracy | undefined }) {
  if (accuracy === undefined || accuracy.exact) return null;
  const text = `Estimated from ${percent(accuracy.sample)} of the visitors.`;
  return (
    <>
      {" "}
      <abbr title={text} aria-label={text}>
        ≈
      </abbr>
    </>
  );
}
