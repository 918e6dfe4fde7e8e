-- wrk -c64 -t1 -d8s -s tests/bench/match.lua http://127.0.0.1:8101
-- POST /v1/match, each request by a player of its own; prints one line of JSON at the end.
local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(args)
  count = 0
  headers = { ["Content-Type"] = "application/json" }
end

function request()
  count = count + 1
  local body = string.format(
    '{"player_id":"p-%d-%d","mode":"duel","attributes":{"region":"eu-west","version":"1.4.22","skill":1100}}',
    number, count)
  return wrk.format("POST", "/v1/match", headers, body)
end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '{"rps":%.0f,"p50_us":%.0f,"p99_us":%.0f,"max_us":%.0f,"errors":%d,"non2xx":%d}\n',
    summary.requests / (summary.duration / 1e6), latency:percentile(50), latency:percentile(99),
    latency.max, e.connect + e.read + e.write + e.timeout, e.status))
end
