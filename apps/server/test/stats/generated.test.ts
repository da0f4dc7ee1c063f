import { poseShare } from "./generated-share.ts";

poseShare(0);
