/** The rows of all pages of an answer, for a file. */
import type { StatsAnswer, StatsQueryBody } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { api } from "../../../api.ts";

/** @returns `nextOffset` is not null if there are more than the API can skip */
export async function allRows(body: StatsQueryBody): Promise<StatsAnswer> {
  const answer = await api.queryStats({ body });
  while (answer.nextOffset !== null && answer.nextOffset <= LIMITS.maxStatsOffset) {
    const page = await api.queryStats({ body: { ...body, pagination: { offset: answer.nextOffset } } });
    answer.results.push(...page.results);
    answer.nextOffset = page.nextOffset;
  }
  return answer;
}
