/** The console checks lines of a source's lists by the rules by which the service accepts them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isAddressRange } from "@headwater/contract/source-lines";
import fc from "fast-check";
import { parseAddressRanges } from "../../src/core/address-ranges.ts";

const isAccepted = (line: string) => {
  try {
    parseAddressRanges([line]);
    return true;
  } catch {
    return false;
  }
};

test("An address or a range is one for the console if it is one for the service.", () => {
  const part = fc.oneof(fc.nat(300).map(String), fc.constantFrom("01", "", "a"));
  const group = fc.oneof(
    fc.nat(0x1ffff).map((number) => number.toString(16)),
    fc.constantFrom("", "0", "g"),
  );
  const address = fc.oneof(
    fc.array(part, { minLength: 3, maxLength: 5 }).map((parts) => parts.join(".")),
    fc.array(group, { minLength: 2, maxLength: 9 }).map((groups) => groups.join(":")),
    fc.ipV4(),
    fc.ipV6(),
    fc.constantFrom("::", "::1", "1::", "::ffff:10.0.0.1", "fe80::1%eth0", "1.2.3.4.", ".1.2.3.4", "1.2.3"),
    fc.string(),
  );
  const bits = fc.oneof(
    fc.constant(""),
    fc.nat(140).map((number) => `/${number}`),
    fc.constantFrom("/", "/a", "/8/8"),
  );
  fc.assert(
    fc.property(address, bits, (text, range) => {
      assert.equal(isAddressRange(text + range), isAccepted(text + range), text + range);
    }),
    { numRuns: 2_000 },
  );
});
