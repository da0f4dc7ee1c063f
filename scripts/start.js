// `npm start`: starts the service, and first installs its packages when they are missing.
import { installMissingPackages } from "./packages.js";

installMissingPackages({ withDevelopment: false });
// in this process, so that a signal to `npm start` reaches the service
await import("../apps/server/bin/headwater.js");
