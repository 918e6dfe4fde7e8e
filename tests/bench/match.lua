-- wrk -c64 -t1 -d8s -s tests/bench/match.lua http://127.0.0.1:8101
-- POST /v1/match, each request by a player of its own; prints one line of JSON at the end.
local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

-- The requests are made beforehand, so that the load generator does not become what is measured. A
-- player comes back after all others have been: seats have to lapse sooner than that.
local players = 131072

-- FIXKEEP_BENCH_TOKENS is a file with a token for each player, and that many players then.
local function tokens()
  local file = os.getenv("FIXKEEP_BENCH_TOKENS")
  if not file then return nil end
  local all = {}
  for token in io.lines(file) do all[#all + 1] = token end
  return all
end

function init(args)
  local headers = { ["Content-Type"] = "application/json" }
  ready = {}
  local shown = tokens()
  if shown then players = #shown end
  local count_of = tonumber(os.getenv("FIXKEEP_BENCH_PLAYERS"))
  if count_of then players = count_of end
  for player = 1, players do
    if shown then headers["Authorization"] = "Bearer " .. shown[player] end
    ready[player] = wrk.format("POST", "/v1/match", headers, string.format(
      '{"player_id":"p-%d-%d","mode":"duel","attributes":{"region":"eu-west","version":"1.4.22","skill":1100}}',
      number, player))
  end
  count = 0
end

function request()
  count = count % players + 1
  return ready[count]
end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '{"rps":%.0f,"p50_us":%.0f,"p99_us":%.0f,"max_us":%.0f,"errors":%d,"non2xx":%d}\n',
    summary.requests / (summary.duration / 1e6), latency:percentile(50), latency:percentile(99),
    latency.max, e.connect + e.read + e.write + e.timeout, e.status))
end
