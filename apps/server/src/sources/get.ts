import type { Handler } from "../core/handler.ts";
import { renderSource } from "./source.ts";

/** One source (CONTRACT section 2). */
export const getSource: Handler<"getSource"> = async ({ source, now }) => ({
  body: renderSource(source, now),
});
