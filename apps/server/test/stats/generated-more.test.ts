import { compareShare } from "./generated-share.ts";

compareShare(1);
