/** Traffic that ClickHouse generates itself, for tests that need more of it than they can send. */

interface GeneratedTraffic {
  readonly sourceId: string;
  /** In milliseconds, at midnight UTC. */
  readonly firstDay: number;
  readonly days: number;
  readonly sessions: number;
  /** In milliseconds. Default: each event was received when it happened. */
  readonly receivedAt?: number;
}

/** Sessions of one to eight events, half of whose visitors come once; in some the visitor changes; a few pages and referrers have most of the events. */
export const trafficStatement = ({
  sourceId,
  firstDay,
  days,
  sessions,
  receivedAt,
}: GeneratedTraffic): string => `INSERT INTO events (analyticsEventId, eventId, type, name, occurredAt, timestamp,
    sessionId, anonymousId, page, device, properties, sourceId, receivedAt, country, channel, engagedSeconds, sentBy)
  SELECT concat('evt_${firstDay}_', toString(session), '_', toString(at)), concat(toString(session), '_', toString(at)),
    if(isView, 'page', 'track'), if(isView, 'page_view', concat('event_', toString(h % 5))),
    fromUnixTimestamp64Milli(${firstDay} + toInt64(s % ${days * 86_400_000 - 400_000}) + at * 20000, 'UTC') AS time, '',
    concat('s${firstDay}_', toString(session)), concat('v', toString((intDiv(s, 7) + (s % 29 = 0 AND at > 2)) % ${Math.round(0.6 * sessions)})),
    tuple('', '', 'shop.example', concat('/', toString(toUInt32(pow(h % 1000 / 1000, 3) * 20))), NULL, tuple(NULL, NULL, NULL, NULL, NULL), map(),
      NULL, NULL, if(s % 3 = 0, NULL, concat('site-', toString(toUInt32(pow(s % 1000 / 1000, 3) * 12))))),
    tuple(if(s % 5 < 2, 'desktop', 'mobile'), NULL, NULL, NULL, NULL, false), if(isView, '{}', '{"plan":"pro"}'), '${sourceId}',
    ${receivedAt === undefined ? "time" : `fromUnixTimestamp64Milli(${receivedAt}, 'UTC')`},
    concat('C', toString(s % 11)), if(s % 3 = 0, 'Direct', 'Referral'), 5, 'browser'
  FROM (
    SELECT session, s, at, sipHash64(session, at) AS h, at = 1 OR h % 4 > 0 AS isView
    FROM (
      SELECT number AS session, sipHash64(number) AS s, arrayJoin(range(1, 2 + toUInt32(pow(s % 100 / 100, 2) * 8))) AS at
      FROM numbers(${sessions})
    )
  )`;
