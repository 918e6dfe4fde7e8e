# SPDX-License-Identifier: MIT
# Asks the masters of FIX Keep for a seat. For Godot 3 and 4: what differs between them is in
# platform_3.gd and platform_4.gd, of which the game takes one.
#
# find_seat begins a search, and poll, called in every frame, goes on with it: one master is asked
# after the other until one gives a seat, one refuses, the time is over, or cancel is called. What
# is done with each answer is the same in all clients of FIX Keep, and stands in docs/clients.md;
# tests/clients/table.txt holds it to that.
#
# Thread rule: one thread has a client. Bounds: limit_ms of one search, with all its pauses; five
# seconds to connect; 64 KiB of an answer, but Godot bounds no head. Of a name one address is tried.
# Errors: poll returns how the search has ended.

const CONNECT_MS = 5000
const ANSWER_MS = 35000  # where the request has no wait_ms: 30 s, the default of a master, and more
const GRACE_MS = 5000  # what an answer may take beyond wait_ms
const TICKET_MS = 10000  # to make a ticket
const POLL_S = 25  # how long a master holds a poll
const POLL_PAUSE_MS = 1000  # after a poll that ended without news before half of its time
const TICKET_LETTERS = 4000
const ANSWER_BYTES = 65536
const DEPTH = 32  # the readers of Godot 3 overflow the stack with more than they can bear
const FIRST_PAUSE_MS = 500.0
const LONGEST_PAUSE_MS = 8000.0
const PROBLEM = "urn:fixkeep:error:"
# Troubles of one master alone.
const ELSEWHERE = ["not-ready", "stopping", "too-many-connections", "already-waiting"]
const DIGITS = "0123456789"
const OF_TICKETS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
const OF_TOKENS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="

# How the last search has ended; docs/api.md has the members of a seat, and the types.
var outcome = ""
var seat = {}
var type = ""
var detail = ""
var status = 0
# Of a search by a ticket: its text, to be stored for resume; and what a master has told last of it,
# with "state" (waiting, matched, ready), and where the master knows them "estimate" and "why".
var ticket = ""
var news = {}

# Of a search, with all its pauses.
var limit_ms = 120000
# Masters are asked in the order in which they were given, and not in one that is drawn.
var keep_order = false
# An object with a method token(renew), which returns the bearer token; renew after a master's 401.
var token_source = null
# An object with a method draw(), which returns 0 <= x < 1; for tests.
var random_source = null

var _platform
var _order = []
var _body = ""
var _answer_ms = ANSWER_MS
var _end = 0
var _ready = []  # when each master may be asked again
var _tries = 0
var _next = 0
var _token = ""
var _renewed = false
var _at = -1  # the master that is being asked
var _http = null
var _asked = false
var _late = 0
var _connected_by = 0
var _read = null
var _code = 0
var _length = 0
var _after = ""
var _by_ticket = false
var _cancelling = false  # the ticket is being deleted
var _state = ""  # that a master has told last
var _tag = ""  # of this state
var _told_tag = ""  # of the answer that comes
var _asked_at = 0


# platform is an instance of platform_3.gd or platform_4.gd.
func _init(platform):
	_platform = platform
	randomize()


# masters are texts, "https://m1.example"; wanted is a dictionary, the request of POST /v1/match.
func find_seat(masters, wanted):
	if _start(masters, ""):
		_body = _platform.write_json(wanted)
		_answer_ms = int(wanted["wait_ms"]) + GRACE_MS if wanted.has("wait_ms") else ANSWER_MS
		_take_token(false)


# The same by a ticket, which keeps the player's age where a connection breaks or a master ends: for
# waits of more than a few seconds. After too-late the ticket is still valid; without resume it ends
# by itself.
func find_seat_by_ticket(masters, wanted):
	if _start(masters, ""):
		_by_ticket = true
		_body = _platform.write_json(wanted)
		_take_token(false)


# Goes on with the ticket of an earlier search.
func resume(masters, text):
	if _start(masters, text):
		_by_ticket = true
		if _is_ticket(text):
			_take_token(false)
		else:
			_fail("this is no ticket")


# Whether the masters can be asked.
func _start(masters, text):
	outcome = ""
	seat = {}
	ticket = text
	news = {}
	_hang_up()
	_remember("", "no master was asked", 0)
	_order = []
	_ready = []
	for address in masters:
		var endpoint = _endpoint_of(address)
		if endpoint == null:
			_fail("a master is http://HOST:PORT or https://HOST:PORT, not " + str(address))
			return false
		_order.append(endpoint)
		_ready.append(0.0)
	if _order.size() == 0:
		_fail("there is no master to ask")
		return false
	if not keep_order:
		_shuffle()
	_end = _platform.now_ms() + limit_ms
	_tries = 0
	_next = 0
	_at = 0
	_renewed = false
	_token = ""
	_by_ticket = false
	_cancelling = false
	_state = ""
	_tag = ""
	return true


# Hangs up, which cancels the request at the master. A ticket is deleted, for which poll has to be
# called on until it returns cancelled: for five seconds at most.
func cancel():
	if outcome == "" and not _cancelling:
		_hang_up()
		if ticket != "":
			_cancelling = true
		else:
			_end_cancelled()


func _end_cancelled():
	_remember("", "cancelled", 0)
	outcome = "cancelled"


# "" while the search goes on; then seat, refused, too-late, cancelled or wrong-use.
func poll():
	if outcome == "" and _http == null:
		_begin()
	if outcome == "" and _http != null:
		_go_on()
	return outcome


func _begin():
	var now = _platform.now_ms()
	if _cancelling:
		return _connect(_at, now, now + GRACE_MS)
	var at = _next
	for i in range(1, _order.size()):
		var other = (_next + i) % _order.size()
		if _ready[at] > now and _ready[other] < _ready[at]:
			at = other
	if max(_ready[at], now) >= _end:
		outcome = "too-late"
	elif _ready[at] <= now:
		_next = (at + 1) % _order.size()
		var longest = _answer_ms
		if _by_ticket:
			longest = TICKET_MS if ticket == "" else POLL_S * 1000 + GRACE_MS
		_connect(at, now, min(now + longest, _end))


func _connect(at, now, late):
	_at = at
	_http = HTTPClient.new()
	_asked = false
	_read = null
	_code = 0
	_length = 0
	_after = ""
	_told_tag = ""
	_asked_at = now
	_late = late
	_connected_by = now + CONNECT_MS
	if _platform.connect_http(_http, _order[at]) != OK:
		_lose("it cannot be reached")


func _send():
	var target = _order[_at].target
	if not _by_ticket:
		return _http.request(HTTPClient.METHOD_POST, target + "/v1/match", _headers(true), _body)
	target += "/v1/tickets"
	if ticket == "":
		return _http.request(HTTPClient.METHOD_POST, target, _headers(true), _body)
	target += "/" + ticket
	var fields = _headers(false)
	if _cancelling:
		return _http.request(HTTPClient.METHOD_DELETE, target, fields, "")
	# The first poll of a resumed ticket is answered at once: it learns the state.
	if _state != "":
		fields.append("Prefer: wait=" + str(POLL_S))
	if _tag != "":
		fields.append("If-None-Match: " + _tag)
	return _http.request(HTTPClient.METHOD_GET, target, fields, "")


func _go_on():
	var now = _platform.now_ms()
	if now >= _late or (not _asked and now >= _connected_by):
		return _lose("no answer in time")
	# In the midst of a body poll would say that the connection is lost, where it only has ended.
	if _http.get_status() != HTTPClient.STATUS_BODY:
		_http.poll()
	var state = _http.get_status()
	if _asked and _code == 0 and _http.has_response():
		_take_head()
	if state == HTTPClient.STATUS_CONNECTED and not _asked:
		_asked = true
		if _send() != OK:
			_lose("the request cannot be sent")
	elif state == HTTPClient.STATUS_BODY:
		var more = _http.read_response_body_chunk()
		if _read == null:
			_read = more
		else:
			_read.append_array(more)
		state = _http.get_status()
		if _read.size() > ANSWER_BYTES:
			_lose("the answer is too long")
		elif state == HTTPClient.STATUS_DISCONNECTED or state == HTTPClient.STATUS_CONNECTED:
			_hear()  # at once: the next poll would find the connection gone
	elif state == HTTPClient.STATUS_DISCONNECTED or state == HTTPClient.STATUS_CONNECTED:
		_hear()
	elif not [HTTPClient.STATUS_RESOLVING, HTTPClient.STATUS_CONNECTING,
			HTTPClient.STATUS_REQUESTING].has(state):
		_lose("the connection does not come up, or breaks")


# The answer is whole, or the master has closed the connection without one.
func _hear():
	var code = _code
	var got = 0 if _read == null else _read.size()
	if code == 0 or got < _length:
		return _lose("no answer, or half of one")
	var text = "" if _read == null else _read.get_string_from_utf8()
	_hang_up()
	var found = _object_of(text)
	if _cancelling:
		_end_cancelled()
	elif code == 401 and token_source != null and not _renewed:
		_renewed = true
		_next = _at
		_take_token(true)
	else:
		_renewed = false
		if not _take(code, found):
			_consider(code, _after, found)


# Whether the answer is the wanted one.
func _take(code, found):
	if _by_ticket and ticket == "":
		return _take_ticket(code, found)
	if _by_ticket and code == 304 and _tag != "":
		_poll_again(_state)
		return true
	if _by_ticket and _type_of(found) == "ticket-expired":
		_remember("ticket-expired", _detail_of(found), code)
		outcome = "too-late"
		return true
	if _by_ticket:
		return code == 200 and _take_state(found)
	return code == 200 and _take_seat(found)


func _take_seat(found):
	if typeof(found) != TYPE_DICTIONARY or not _is_seat(found):
		return false
	_remember("", "", 200)
	seat = found
	seat["port"] = int(found["port"])
	outcome = "seat"
	return true


func _take_ticket(code, found):
	var text = found["ticket"] if found.has("ticket") else null
	var again = _type_of(found) == "already-waiting"
	if not _is_ticket(text) or not (again or code == 201):
		return false
	ticket = text
	if not again:
		return _take_state(found)
	_next = _at  # the answer of an earlier POST was lost
	return true


func _take_state(found):
	var state = found["state"] if found.has("state") else null
	if typeof(state) != TYPE_STRING:
		return false
	if state == "cancelled":
		_end_cancelled()
	elif state == "expired" or state == "failed":
		_take_problem(state, found["problem"] if found.has("problem") else null)
	elif state == "ready" and found.has("seat") and _take_seat(found["seat"]):
		_tell(state, found)
	elif state == "waiting" or state == "matched":
		_tell(state, found)
		_tag = _told_tag
		_poll_again(state)
	else:
		return false
	return true


func _take_problem(state, problem):
	var known = problem if typeof(problem) == TYPE_DICTIONARY else {}
	var why = _detail_of(known)
	var code = known["status"] if known.has("status") else 0
	var is_number = typeof(code) == TYPE_INT or typeof(code) == typeof(0.5)
	_remember(_type_of(known), why if why != "" else "the ticket is " + state,
			int(code) if is_number else 0)
	outcome = "too-late" if state == "expired" else "refused"


func _tell(state, found):
	if state != _state:
		news = found
		news["ticket"] = ticket


# At once, unless the master said when, or held no poll.
func _poll_again(state):
	var now = _platform.now_ms()
	var until = 0
	if _is_number(_after):
		until = now + _pause_after(_after)
	elif state == _state and now < _asked_at + POLL_S * 500:
		until = now + POLL_PAUSE_MS
	for i in range(_ready.size()):
		_ready[i] = max(_ready[i], until)
	_next = _at
	_tries = 0
	_state = state


# Before the end, at which Godot forgets it.
func _take_head():
	_code = _http.get_response_code()
	_length = 0 if _http.is_response_chunked() else _http.get_response_body_length()
	for line in _http.get_response_headers():
		if line.to_lower().begins_with("retry-after:"):
			_after = line.substr(12, line.length() - 12).strip_edges()
		elif line.to_lower().begins_with("etag:"):
			_told_tag = line.substr(5, line.length() - 5).strip_edges()


func _consider(code, after, found):
	var kind = _type_of(found)
	if kind == "":
		# Somebody else speaks for this master, such as a balancer: another one may be reached.
		return _pause(true, after, "", _order[_at].name + ": status " + str(code), 0)
	var why = _detail_of(found)
	if not ELSEWHERE.has(kind) and code != 408 and code != 429 and code < 500:
		_remember(kind, why, code)
		outcome = "refused"
	else:
		_pause(ELSEWHERE.has(kind), after, kind, why, code)


# Of a master's problem; "" where it is none.
func _type_of(found):
	var kind = found["type"] if found.has("type") else null
	if typeof(kind) != TYPE_STRING or not kind.begins_with(PROBLEM):
		return ""
	return kind.substr(PROBLEM.length(), kind.length() - PROBLEM.length())


func _detail_of(found):
	return str(found["detail"]) if found.has("detail") else ""


func _lose(why):
	_hang_up()
	if _cancelling:
		return _end_cancelled()
	_renewed = false
	_pause(true, "", "", _order[_at].name + ": " + why, 0)


func _pause(elsewhere, after, kind, why, code):
	var rounds = min(floor(_tries / float(_order.size())), 10)
	var pause = min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * pow(2, rounds)) / 1.5
	pause = _pause_after(after) if _is_number(after) else pause * _spread()
	var until = _platform.now_ms() + pause
	for i in range(_ready.size()):
		if i == _at or not elsewhere:
			_ready[i] = max(_ready[i], until)
	_tries += 1
	_remember(kind, why, code)


func _pause_after(after):
	return max(int(after) * 1000.0, FIRST_PAUSE_MS) * _spread()


func _spread():
	return 1.0 + _draw() / 2.0


func _is_number(text):
	return text.length() > 0 and text.length() < 10 and _consists_of(text, DIGITS)


func _remember(kind, why, code):
	type = kind
	detail = why
	status = code


func _fail(why):
	_remember("", why, 0)
	outcome = "wrong-use"


func _hang_up():
	if _http != null:
		_http.close()
	_http = null


func _headers(with_body):
	var fields = ["Accept: application/json", "Connection: close"]
	if with_body:
		fields.append("Content-Type: application/json")
	if _token != "":
		fields.append("Authorization: Bearer " + _token)
	return fields


func _take_token(renew):
	if token_source != null:
		_token = str(token_source.call("token", renew))
		# One that would end its line would say more than a token.
		if not _consists_of(_token, OF_TOKENS):
			_fail("a token has letters, digits and -._~+/= alone (RFC 6750)")


func _draw():
	return randf() * 0.999999 if random_source == null else random_source.call("draw")


func _shuffle():
	for i in range(_order.size() - 1, 0, -1):
		var j = int(_draw() * (i + 1))
		var one = _order[i]
		_order[i] = _order[j]
		_order[j] = one


func _consists_of(text, letters):
	for i in range(text.length()):
		if letters.find(text[i]) < 0:
			return false
	return true


func _endpoint_of(address):
	var secure = address.begins_with("https://")
	if not secure and not address.begins_with("http://"):
		return null
	var begin = 8 if secure else 7
	var rest = address.substr(begin, address.length() - begin)
	var slash = rest.find("/")
	var place = rest if slash < 0 else rest.substr(0, slash)
	var path = "" if slash < 0 else rest.substr(slash, rest.length() - slash)
	while path.ends_with("/"):
		path = path.substr(0, path.length() - 1)
	var colon = place.find("]:") + 1 if place.begins_with("[") else place.find(":")
	var host = place if colon < 1 else place.substr(0, colon)
	var port = "" if colon < 1 else place.substr(colon + 1, place.length() - colon - 1)
	if host == "" or path.find("?") >= 0 or place.find("@") >= 0 or not _consists_of(port, DIGITS):
		return null
	if host.begins_with("["):
		host = host.substr(1, host.length() - 2)
		if host.begins_with("::"):
			host = "0" + host  # Godot takes "::1" for too short
	var number = int(port) if port != "" else (443 if secure else 80)
	return {"secure": secure, "host": host, "port": number, "target": path, "name": address}


# Empty if it is no object: answers of balancers are anything.
func _object_of(text):
	var found = null if _nests_too_deeply(text) else _platform.read_json(text)
	return found if typeof(found) == TYPE_DICTIONARY else {}


func _nests_too_deeply(text):
	var depth = 0
	var quoted = false
	var i = 0
	while i < text.length():
		var letter = text[i]
		if quoted and letter == "\\":
			i += 1
		elif letter == "\"":
			quoted = not quoted
		elif not quoted and (letter == "[" or letter == "{"):
			depth += 1
			if depth > DEPTH:
				return true
		elif not quoted and (letter == "]" or letter == "}"):
			depth -= 1
		i += 1
	return false


# Whether it can stand in a path as it is.
func _is_ticket(text):
	return (typeof(text) == TYPE_STRING and text.length() > 0 and text.length() <= TICKET_LETTERS
			and _consists_of(text, OF_TICKETS))


func _is_seat(answer):
	for name in ["room_id", "address", "seat_token", "port"]:
		if not answer.has(name):
			return false
		if name != "port" and typeof(answer[name]) != TYPE_STRING:
			return false
	var port = answer["port"]
	var is_number = typeof(port) == TYPE_INT or typeof(port) == typeof(0.5)
	return is_number and port == floor(port) and port > 0 and port < 65536
