import { erasingSuite } from "./erasing.ts";

erasingSuite("SQLite", async () => ({}));
