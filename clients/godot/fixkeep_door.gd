# SPDX-License-Identifier: MIT
# Lets players into a room: for a game server in Godot 3 or 4, with platform_3.gd or platform_4.gd.
#
#     door.admit(token)               # what the player shows
#     door.poll()                     # in every frame: "" while it is not known, then in or refused
#     door.facts_of(token)            # what else it says of the seat, such as {"team": "1"}
#     door.leave(player)              # gives the seat back; poll says "left" or "refused"
#
# A player is let in (`player` says who) whose token is of this room and has not ended (docs/api.md,
# "Seat tokens"), and of whom the worker then says true. Whatever else happens is a no. Thread rule:
# one thread has a door, and a door one player at a time: make one for each who comes. Bounds: 4096
# letters of a token; five seconds and 4096 bytes of an answer.

const TOKEN_LETTERS = 4096
const ANSWER_MS = 5000
const ANSWER_BYTES = 4096
const DIGITS = "0123456789"
const HEX = "0123456789abcdef"
const OF_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const OF_BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

var outcome = "refused"
var player = ""

var _platform
var _http = null
var _path = ""
var _asked = false
var _late = 0
var _read = null
var _code = 0


func _init(platform):
	_platform = platform


func admit(token):
	player = player_of(token)
	outcome = "refused"
	if player != "":
		_ask("connect")


func leave(who):
	player = who
	_ask("disconnect")


func poll():
	if outcome != "":
		return outcome
	if _platform.now_ms() >= _late:
		return _end(false)
	# In the midst of a body poll would say that the connection is lost, where it only has ended.
	if _http.get_status() != HTTPClient.STATUS_BODY:
		_http.poll()
	var state = _http.get_status()
	if _asked and _http.has_response():
		_code = _http.get_response_code()
	if state == HTTPClient.STATUS_CONNECTED and not _asked:
		_asked = true
		var fields = ["Content-Type: application/json", "Connection: close"]
		var token = _platform.environment("FIXKEEP_SDK_TOKEN")
		if token != "":
			fields.append("Authorization: Bearer " + token)
		var body = _platform.write_json({"playerID": player})
		_http.request(HTTPClient.METHOD_POST, "/alpha/player/" + _path, fields, body)
	elif state == HTTPClient.STATUS_BODY:
		var more = _http.read_response_body_chunk()
		if _read == null:
			_read = more
		else:
			_read.append_array(more)
		state = _http.get_status()
		if _read.size() > ANSWER_BYTES:
			_end(false)
		elif state == HTTPClient.STATUS_DISCONNECTED or state == HTTPClient.STATUS_CONNECTED:
			_end(_says_true())
	elif not [HTTPClient.STATUS_RESOLVING, HTTPClient.STATUS_CONNECTING,
			HTTPClient.STATUS_REQUESTING].has(state):
		_end(false)
	return outcome


# To whom this room's token was given; "" if it is none. The worker is not asked.
func player_of(token):
	return _read(token)[0]


func facts_of(token):
	return _platform.read_json(_read(token)[1])


# The player and the facts of the seat, a JSON object.
func _read(token):
	var nobody = ["", "{}"]
	var dot = token.find(".")
	if dot < 0 or token.length() > TOKEN_LETTERS:
		return nobody
	var claims = token.substr(0, dot)
	var key = _platform.no_bytes()
	var hex = _platform.environment("FIXKEEP_SEAT_KEY").to_lower()
	for i in range(0, hex.length() - 1, 2):
		key.append(HEX.find(hex[i]) * 16 + HEX.find(hex[i + 1]))
	var signature = _bytes_of_base64url(token.substr(dot + 1, token.length() - dot - 1), true)
	var wanted = _platform.hmac_sha256(key, _platform.bytes_of(claims))
	if key.size() != 32 or not _are_equal(wanted, signature):
		return nobody
	var text = _bytes_of_base64url(claims, false).get_string_from_utf8()
	var room_begins = text.find("\n", 2) + 1
	var room = _platform.environment("FIXKEEP_ROOM_ID") + "\n"
	var ends_ms = text.substr(2, room_begins - 3)
	var rest = text.substr(room_begins, text.length() - room_begins)
	var is_known = text.begins_with("1\n") or text.begins_with("2\n")
	if not is_known or room_begins < 4 or not rest.begins_with(room):
		return nobody
	for i in range(ends_ms.length()):
		if DIGITS.find(ends_ms[i]) < 0:
			return nobody
	if ends_ms.length() > 18 or int(ends_ms) <= _platform.seconds_since_1970() * 1000:
		return nobody
	rest = rest.substr(room.length(), rest.length() - room.length())
	if text.begins_with("1"):
		return [rest, "{}"]
	var facts_end = rest.find("\n")
	if facts_end < 0 or facts_end + 1 == rest.length():
		return nobody
	return [rest.substr(facts_end + 1, rest.length() - facts_end - 1), rest.substr(0, facts_end)]


# A signature of 32 bytes leaves two bits of its last letter, which have to be none.
func _bytes_of_base64url(text, of_signature):
	var plain = ""
	for i in range(text.length()):
		var at = OF_BASE64URL.find(text[i])
		if at < 0 or (of_signature and i == 42 and at % 4 != 0):
			return _platform.no_bytes()
		plain += OF_BASE64[at]
	while plain.length() % 4 != 0:
		plain += "="
	return _platform.bytes_of_base64(plain)


# Takes as long for any two of one length.
func _are_equal(left, right):
	var differences = left.size() ^ right.size()
	for i in range(min(left.size(), right.size())):
		differences |= left[i] ^ right[i]
	return differences == 0


func _ask(path):
	outcome = ""
	_path = path
	_asked = false
	_read = null
	_code = 0
	_late = _platform.now_ms() + ANSWER_MS
	_http = HTTPClient.new()
	var port = int(_platform.environment("AGONES_SDK_HTTP_PORT"))
	var worker = {"host": "127.0.0.1", "port": port, "secure": false}
	if _platform.connect_http(_http, worker) != OK:
		_end(false)


func _says_true():
	var text = _read.get_string_from_utf8()
	# Its one member is so short that no answer nests.
	var found = null if _code != 200 or text.find("[") >= 0 else _platform.read_json(text)
	var is_object = typeof(found) == TYPE_DICTIONARY and found.has("bool")
	return is_object and typeof(found["bool"]) == TYPE_BOOL and found["bool"]


func _end(yes):
	_http.close()
	_http = null
	outcome = "refused"
	if yes:
		outcome = "in" if _path == "connect" else "left"
	return outcome
