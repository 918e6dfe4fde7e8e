# Drives the door of clients/godot for tests/clients/doors.py, whose head says what it prints.
extends SceneTree


func _init():
	var platform = load("res://platform_3.gd").new()
	var door = load("res://fixkeep_door.gd").new(platform)
	for token in platform.read_json(OS.get_environment("FIXKEEP_TOKENS")):
		door.admit(token)
		while door.poll() == "":
			OS.delay_msec(5)
		var player = door.player if door.outcome == "in" else null
		print(to_json({"player": player, "team": door.facts_of(token).get("team")}))
	door.leave("ann")
	while door.poll() == "":
		OS.delay_msec(5)
	print(to_json({"left": door.outcome == "left"}))
	quit()
