/** Writes the types and routes of the client. */
import { writeFileSync } from "node:fs";
import { openApiDocument } from "@headwater/contract";
import { renderDeclarations, renderRoutes } from "./render.ts";

const document = openApiDocument({ baseUrl: "", appUrl: "" }, "");
writeFileSync(new URL("src/schema.d.ts", import.meta.url), renderDeclarations(document));
writeFileSync(new URL("src/routes.ts", import.meta.url), renderRoutes(document));
