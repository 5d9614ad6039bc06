-- Sends the requests of a file, one per line (method, path, token or -, body), in order and then from the start again.
-- Arguments: the file; where to start, as a share of all requests.
local requests, last = {}, 0

function init(args)
  for line in io.lines(args[1]) do
    local method, path, token, body = line:match("^(%S+) (%S+) (%S+) (.*)$")
    local headers = { ["Content-Type"] = "application/json" }
    if token ~= "-" then headers["Authorization"] = "Bearer " .. token end
    requests[#requests + 1] = wrk.format(method, path, headers, body ~= "" and body or nil)
  end
  last = math.floor(#requests * tonumber(args[2]))
end

function request()
  last = last % #requests + 1
  return requests[last]
end

-- Times are microseconds.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"duration":%d,"p50":%d,"p99":%d,"failed":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
