/** Classifies the visits of one source by its settings. What was found for a referrer and a campaign is kept. */
import type { SourceSettings } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { createLru } from "../core/lru.ts";
import { NO_CAMPAIGN } from "./campaign.ts";
import {
  classifyVisit,
  compileChannelRules,
  isOwn,
  type VisitOrigin,
  type VisitSource,
} from "./classify-visit.ts";
import { sitesOfOrigins } from "./public-suffixes.ts";
import type { SourceLists } from "./source-lists.ts";

/** Visits with longer referrers and campaigns, which few share, are classified each time. */
const MAX_CACHED_VISIT_KEY_LENGTH = 400;

export interface VisitClassifier {
  (origin: VisitOrigin): VisitSource;
  /** Whether a referrer's host is one of the site itself, which is not a referrer. */
  readonly isOwnHost: (host: string, pageHost: string | null) => boolean;
}

export const DIRECT: VisitSource = { source: null, channel: "Direct" };

interface CachedVisit {
  readonly classifier: VisitClassifier;
  readonly visit: VisitSource;
}
/** The visits by all that they are classified by. */
const visits = createLru<string, CachedVisit>(SERVER_LIMITS.referrerCacheEntries);

const keyOf = ({ referrer, pageHost, campaign: { utm, clickIds, ref } }: VisitOrigin): string =>
  [pageHost, referrer, utm?.source, utm?.medium, utm?.campaign, ref, clickIds && Object.keys(clickIds)].join(
    "\n",
  );

/** Callers keep the result until the source changes. Most events have neither a referrer nor a campaign: they load no list. */
export function createVisitClassifier(
  lists: SourceLists,
  { allowedOrigins, channelRules }: Pick<SourceSettings, "allowedOrigins" | "channelRules">,
): VisitClassifier {
  const rules = compileChannelRules(channelRules);
  let ownSites: ReadonlySet<string> | undefined;
  const sites = () => {
    ownSites ??= sitesOfOrigins(allowedOrigins);
    return ownSites;
  };
  const isOwnHost = (host: string, pageHost: string | null) => isOwn(host, pageHost, sites());
  const classify = (origin: VisitOrigin): VisitSource => {
    if (origin.campaign === NO_CAMPAIGN && origin.referrer === null) return DIRECT;
    const key = keyOf(origin);
    const cached = visits.get(key);
    if (cached?.classifier === classifier) return cached.visit;
    const visit = classifyVisit(origin, { lists, ownSites: sites(), rules });
    if (key.length <= MAX_CACHED_VISIT_KEY_LENGTH) visits.set(key, { classifier, visit });
    return visit;
  };
  const classifier: VisitClassifier = Object.assign(classify, { isOwnHost });
  return classifier;
}
