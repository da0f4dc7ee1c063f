// `npm start`: starts the service, and first installs its packages when they are missing. In package.json, `exec` lets a signal to
// npm reach the service; the shell of Windows has no `exec`, and runs the command after it, which says what is wrong.
import { installMissingPackages } from "./packages.js";

installMissingPackages({ withDevelopment: false });
// in this process, so that a signal to `npm start` reaches the service
await import("../apps/server/bin/headwater.js");
