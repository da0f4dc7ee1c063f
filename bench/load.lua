-- The closed loop's requests: templates (bodies.ts) whose marks are filled with fresh ids and the time.
-- Nothing is looked at in the answers: what was accepted is asked of the server afterwards, and status
-- counts are wrk's own.
local prefix = os.getenv("BENCH_ID_PREFIX") -- 24 characters; 12 more are counted
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
