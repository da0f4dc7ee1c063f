import { compareAll } from "./generated-queries.ts";

compareAll();
