import { compareAll, compareFunnels } from "./generated-queries.ts";

compareAll();
compareFunnels();
