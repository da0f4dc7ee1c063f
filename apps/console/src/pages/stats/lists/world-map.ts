/** The shapes of the countries as SVG paths, from Natural Earth by way of world-atlas (ISC License). Loaded when the map is shown. */
import atlas from "world-atlas/countries-110m.json";

/** The codes that the stats use, each with the number by which the atlas names the country. */
const CODES =
  "AE784 AF004 AL008 AM051 AO024 AR032 AT040 AU036 AZ031 BA070 BD050 BE056 BF854 BG100 BI108 BJ204 BN096 BO068 BR076 BS044 BT064 BW072 BY112 BZ084 CA124 CD180 CF140 CG178 CH756 CI384 CL152 CM120 CN156 CO170 CR188 CU192 CY196 CZ203 DE276 DJ262 DK208 DO214 DZ012 EC218 EE233 EG818 EH732 ER232 ES724 ET231 FI246 FJ242 FK238 FR250 GA266 GB826 GE268 GH288 GL304 GM270 GN324 GQ226 GR300 GT320 GW624 GY328 HN340 HR191 HT332 HU348 ID360 IE372 IL376 IN356 IQ368 IR364 IS352 IT380 JM388 JO400 JP392 KE404 KG417 KH116 KP408 KR410 KW414 KZ398 LA418 LB422 LK144 LR430 LS426 LT440 LU442 LV428 LY434 MA504 MD498 ME499 MG450 MK807 ML466 MM104 MN496 MR478 MW454 MX484 MY458 MZ508 NA516 NC540 NE562 NG566 NI558 NL528 NO578 NP524 NZ554 OM512 PA591 PE604 PG598 PH608 PK586 PL616 PR630 PS275 PT620 PY600 QA634 RO642 RS688 RU643 RW646 SA682 SB090 SD729 SE752 SI705 SK703 SL694 SN686 SO706 SR740 SS728 SV222 SY760 SZ748 TD148 TF260 TG768 TH764 TJ762 TL626 TM795 TN788 TR792 TT780 TW158 TZ834 UA804 UG800 US840 UY858 UZ860 VE862 VN704 VU548 YE887 ZA710 ZM894 ZW716";
const CODE_OF_NUMBER = new Map(CODES.split(" ").map((code) => [code.slice(2), code.slice(0, 2)]));

/** The size of the map in units of its paths. */
export const MAP_SIZE = { width: 1000, height: 470 } as const;
const UNITS_PER_RADIAN = 183;
const DEGREE = Math.PI / 180;
/** The map shows little of the Arctic, and nothing of the Antarctic. */
const TOP = 1.33;
/** No two neighbouring positions of a border are further apart, except on both sides of the edge of the map. */
const MAX_STEP = 500;

type Position = readonly [x: number, y: number];

/** The projection "Natural Earth": less distorted than a grid of degrees. */
function project([longitude, latitude]: Position): Position {
  const [lambda, phi] = [longitude * DEGREE, latitude * DEGREE];
  const [phi2, phi4] = [phi ** 2, phi ** 4];
  const x =
    lambda * (0.8707 - 0.131979 * phi2 + phi4 * (-0.013791 + phi4 * (0.003971 * phi2 - 0.001529 * phi4)));
  const y = phi * (1.007226 + phi2 * (0.015085 + phi4 * (-0.044475 + 0.028874 * phi2 - 0.005916 * phi4)));
  return [MAP_SIZE.width / 2 + x * UNITS_PER_RADIAN, (TOP - y) * UNITS_PER_RADIAN];
}

/** An arc is stored as steps from position to position. */
function decodeArc(steps: readonly Position[]): Position[] {
  const { scale, translate } = atlas.transform;
  let [x, y] = [0, 0];
  return steps.map(([dx, dy]) => {
    x += dx;
    y += dy;
    return project([x * scale[0] + translate[0], y * scale[1] + translate[1]]);
  });
}

/** A ring names its arcs by index; the complement of an index is the arc in the other direction. */
function ringPath(arcs: readonly Position[][], indexes: readonly number[]): string {
  const positions = indexes.flatMap((index, at) => {
    const arc = index < 0 ? arcs[-1 - index]?.toReversed() : arcs[index];
    // each arc begins where the one before it ended
    return arc?.slice(at === 0 ? 0 : 1) ?? [];
  });
  const isJump = (at: number) =>
    Math.abs((positions[at]?.[0] ?? 0) - (positions[at - 1]?.[0] ?? 0)) > MAX_STEP;
  // a border that crosses the edge of the map goes on at the other edge
  const commands = positions.map(
    ([x, y], at) => `${at === 0 || isJump(at) ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`,
  );
  return `${commands.join("")}Z`;
}

interface MapCountry {
  /** ISO 3166-1 alpha-2. */
  readonly code: string;
  readonly path: string;
}

export function readCountries(): MapCountry[] {
  const arcs = atlas.arcs.map(decodeArc);
  return atlas.objects.countries.geometries.flatMap(({ id = "", arcs: parts }) => {
    const code = CODE_OF_NUMBER.get(id);
    // the rings of a polygon, or those of several polygons
    const rings = parts.flatMap((part) =>
      part.every((one) => typeof one === "number") ? [part] : part.filter((one) => typeof one !== "number"),
    );
    return code === undefined ? [] : [{ code, path: rings.map((ring) => ringPath(arcs, ring)).join("") }];
  });
}
