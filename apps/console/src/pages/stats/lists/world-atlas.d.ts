/** The part of the map's file that `world-map.ts` reads: a topology, whose borders are arcs that neighbours share. */
declare module "world-atlas/countries-110m.json" {
  interface CountryShape {
    /** ISO 3166-1 numeric. Regions whose status is disputed have none. */
    readonly id?: string;
    readonly type: "Polygon" | "MultiPolygon";
    readonly arcs: readonly (readonly (number | readonly number[])[])[];
  }
  const topology: {
    readonly transform: {
      readonly scale: readonly [number, number];
      readonly translate: readonly [number, number];
    };
    readonly arcs: readonly (readonly (readonly [number, number])[])[];
    readonly objects: { readonly countries: { readonly geometries: readonly CountryShape[] } };
  };
  // biome-ignore lint/style/noDefaultExport: a JSON module has only this one
  export default topology;
}
