/** The mark beside figures that are estimated. */
import type { StatsAccuracy } from "@headwater/contract";

const percent = new Intl.NumberFormat("en", { style: "percent", maximumSignificantDigits: 2 });

export function EstimateMark({ accuracy }: { readonly accuracy: StatsAccuracy | undefined }) {
  if (accuracy === undefined || accuracy.exact) return null;
  const { sample, error } = accuracy;
  const text = `Estimated from ${percent.format(sample)} of the visitors. With a probability of 95%, all figures are within ${percent.format(error)}.`;
  return (
    <>
      {" "}
      <abbr title={text} aria-label={text}>
        ≈
      </abbr>
    </>
  );
}
