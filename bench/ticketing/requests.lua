-- Sends prepared requests one after the other, each once, and counts answers with another status than the expected one.
-- Arguments: a file of whole requests, each ended by a byte 1; the expected status; a mean pause in ms after each answer.
-- Prints: measured <answers> <µs> <p50 in µs> <p99 in µs> <wrong answers> <requests sent> <requests there were> <socket errors>
local threads = {}
local requests, pause_ms, expected = {}, 0, 0
sent, known, wrong, wrong_said = 0, 0, 0, ''

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  for request in file:read('*a'):gmatch('[^\1]+') do requests[#requests + 1] = request end
  file:close()
  known, expected, pause_ms = #requests, tonumber(args[2]), tonumber(args[3])
  -- wrk pauses only if there is such a function.
  if pause_ms > 0 then
    delay = function() return math.random(pause_ms / 2, pause_ms * 3 / 2) end
  end
end

function request()
  sent = sent + 1
  return requests[math.min(sent, known)]
end

function response(status, _, body)
  if status == expected then return end
  wrong = wrong + 1
  if wrong == 1 then wrong_said = status .. ' ' .. body end
end

function done(summary, latency)
  local errors = summary.errors
  local thread = threads[1]
  print(string.format('measured %d %d %d %d %d %d %d %d', summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    thread:get('wrong'), thread:get('sent'), thread:get('known'), errors.connect + errors.read + errors.write + errors.timeout))
  print('first wrong answer: ' .. thread:get('wrong_said'))
end
