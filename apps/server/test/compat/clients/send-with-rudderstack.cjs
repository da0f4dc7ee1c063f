// Sends events when it is told to, and tells what became of each.
const loaded = require("@rudderstack/rudder-sdk-node");

const [dataPlaneUrl, visitors] = process.argv.slice(2);
const RudderAnalytics = loaded.default ?? loaded;
const analytics = new RudderAnalytics("old-key", { dataPlaneUrl, flushInterval: 100 });

process.on("message", ([first, count]) => {
  for (let number = first; number < first + count; number += 1)
    analytics.track(
      { userId: `user-${number % Number(visitors)}`, event: "Clicked", properties: { number } },
      (error) => process.send([number, Boolean(error)]),
    );
});
