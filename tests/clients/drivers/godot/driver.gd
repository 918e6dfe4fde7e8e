# Drives clients/godot for tests/clients/run.py, whose head says what FIXKEEP_CALL has.
# scripts/clients.sh puts the client beside it.
extends SceneTree


class Tokens:
	var left = []

	func token(_renew):
		var first = left[0]
		if left.size() > 1:
			left.remove(0)
		return first


class Constant:
	var drawn = 0.0

	func draw():
		return drawn


func _init():
	var platform = load("res://platform_3.gd").new()
	var client = load("res://fixkeep_client.gd").new(platform)
	var call = platform.read_json(OS.get_environment("FIXKEEP_CALL"))
	client.limit_ms = call["limit_ms"]
	client.keep_order = call["keep_order"]
	if call.has("random"):
		client.random_source = Constant.new()
		client.random_source.drawn = call["random"]
	if call.has("tokens"):
		client.token_source = Tokens.new()
		client.token_source.left = call["tokens"]
	for _i in range(call["calls"]):
		var began = OS.get_ticks_msec()
		if call.has("resume"):
			client.resume(call["masters"], call["resume"])
		elif call.has("ticket"):
			client.find_seat_by_ticket(call["masters"], call["wanted"])
		else:
			client.find_seat(call["masters"], call["wanted"])
		var told = []
		var going = true
		while going:
			going = client.poll() == ""
			if client.news.has("state") and (told.size() == 0 or told.back() != client.news):
				told.append(client.news)
			if call.has("cancel_file") and File.new().file_exists(call["cancel_file"]):
				client.cancel()
			OS.delay_msec(5)
		var ended = {"outcome": client.outcome, "seat": client.seat, "type": client.type,
				"detail": client.detail, "status": client.status, "told": told,
				"took_ms": OS.get_ticks_msec() - began}
		print(to_json(ended))
	if call.has("linger_ms"):
		OS.delay_msec(call["linger_ms"])
	quit()
