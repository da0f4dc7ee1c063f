/** The mark beside figures that are estimated. */
import type { StatsAccuracy } from "@headwater/contract";
import { numberFormatter } from "../../ui/format-count.ts";

const percent = numberFormatter({ style: "percent", maximumSignificantDigits: 2 });

export function EstimateMark({ accuracy }: { readonly accuracy: StatsAccuracy | undefined }) {
  if (accuracy === undefined || accuracy.exact) return null;
  const { sample, error } = accuracy;
  // above that, the figures of few visitors are a guess
  const bound =
    error < 1
      ? `With a probability of 95%, all figures are within ${percent(error)}.`
      : "The smallest figures may be several times too large.";
  const text = `Estimated from ${percent(sample)} of the visitors. ${bound}`;
  return (
    <>
      {" "}
      <abbr title={text} aria-label={text}>
        ≈
      </abbr>
    </>
  );
}
