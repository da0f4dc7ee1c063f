import { deliverySuite } from "./delivery.suite.ts";

deliverySuite("SQLite", async () => ({}));
