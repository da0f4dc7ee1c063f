/** The countries of the visitors as a map. The list of countries has the same figures, and can be used with the keyboard. */
import "./country-map.css";
import { useMemo } from "react";
import { pluralize } from "../../../ui/format-count.ts";
import { StatsResult } from "../stats-result.tsx";
import { type StatsView, useStats } from "../use-stats-view.ts";
import { filterParams } from "../view-params.ts";
import { formatValue } from "./value-names.ts";
import { MAP_SIZE, readCountries } from "./world-map.ts";

export function CountryMap({ view }: { readonly view: StatsView }) {
  const countries = useMemo(readCountries, []);
  const query = useStats(view.scope, { metrics: ["visitors"], dimensions: ["country"] });
  return (
    <StatsResult query={query} rows={5}>
      {({ results }) => {
        const visitors = new Map(results.map((row) => [row.dimensions[0], row.metrics[0] ?? 0]));
        const highest = Math.max(...countries.map(({ code }) => visitors.get(code) ?? 0), 1);
        return (
          <>
            <svg
              className="world-map"
              viewBox={`0 0 ${MAP_SIZE.width} ${MAP_SIZE.height}`}
              role="img"
              aria-label="Map of the visitors’ countries"
            >
              {countries.map(({ code, path }) => {
                const count = visitors.get(code) ?? 0;
                return (
                  // biome-ignore lint/a11y/noStaticElementInteractions: the list of countries is for the keyboard
                  <path
                    key={code}
                    className="country"
                    d={path}
                    data-visited={count > 0 ? "yes" : undefined}
                    // small counts can be told from none
                    fillOpacity={count === 0 ? undefined : 0.15 + 0.85 * Math.sqrt(count / highest)}
                    onClick={({ altKey }) =>
                      count > 0 &&
                      view.update(filterParams(view.params, "country", code, altKey ? "isNot" : "is"))
                    }
                  >
                    <title>{`${formatValue("country", code)}: ${pluralize(count, "visitor")}`}</title>
                  </path>
                );
              })}
            </svg>
            <div className="map-legend" aria-hidden>
              <span className="map-none" />
              None
              <span className="map-scale" />1 to {pluralize(highest, "visitor")}
            </div>
          </>
        );
      }}
    </StatsResult>
  );
}
