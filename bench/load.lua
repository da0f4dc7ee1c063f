-- The requests of the closed loop: templates (bodies.ts) whose placeholders are filled with new ids and the time.
-- It does not read responses: wrk counts the statuses, and the bench asks the server afterwards how many events it
-- has accepted.
local prefix = os.getenv("BENCH_ID_PREFIX") -- 24 characters; a counter of 12 follows
local templates, turn, serial = {}, 0, 0
local sent_at, checked = "", 0

local function split(line)
  local parts, ids, times, at = {}, {}, {}, 1
  line = line:gsub("\3", "\r\n")
  while true do
    local mark = line:find("[\1\2]", at)
    if not mark then break end
    parts[#parts + 1] = line:sub(at, mark - 1)
    parts[#parts + 1] = ""
    local slots = line:byte(mark) == 1 and ids or times
    slots[#slots + 1] = #parts
    at = mark + 1
  end
  parts[#parts + 1] = line:sub(at)
  return { parts = parts, ids = ids, times = times }
end

function init()
  for line in io.lines(os.getenv("BENCH_TEMPLATES")) do
    templates[#templates + 1] = split(line)
  end
end

local function now()
  if checked % 64 == 0 then sent_at = os.date("!%Y-%m-%dT%H:%M:%S.000Z") end
  checked = checked + 1
  return sent_at
end

function request()
  turn = turn % #templates + 1
  local template = templates[turn]
  local parts = template.parts
  for _, slot in ipairs(template.ids) do
    serial = serial + 1
    parts[slot] = prefix .. string.format("%012x", serial)
  end
  for _, slot in ipairs(template.times) do parts[slot] = now() end
  return table.concat(parts)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"bytes":%d,"microseconds":%d,"refused":%d,"broken":%d,"p50":%.3f,"p90":%.3f,"p99":%.3f,"max":%.3f}\n',
    summary.requests, summary.bytes, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(90) / 1000, latency:percentile(99) / 1000, latency.max / 1000))
end
