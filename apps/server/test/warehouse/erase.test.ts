import { erasureSuite } from "./erasure.suite.ts";

erasureSuite("SQLite", async () => ({}));
