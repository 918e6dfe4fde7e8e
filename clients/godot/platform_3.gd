# SPDX-License-Identifier: MIT
# What fixkeep_client.gd needs of Godot 3.


func now_ms():
	return OS.get_ticks_msec()


func write_json(value):
	return to_json(value)


# Null if the text is no JSON.
func read_json(text):
	var parsed = JSON.parse(text)
	return parsed.result if parsed.error == OK else null


func connect_http(http, endpoint):
	return http.connect_to_host(endpoint.host, endpoint.port, endpoint.secure, true)


# What fixkeep_door.gd needs: bytes of HMAC-SHA256, of texts, and of base64.
func hmac_sha256(key, message):
	var block = key
	while block.size() < 64:
		block.append(0)
	var inner = PoolByteArray()
	var outer = PoolByteArray()
	for byte in block:
		inner.append(byte ^ 0x36)
		outer.append(byte ^ 0x5c)
	inner.append_array(message)
	outer.append_array(_sha256(inner))
	return _sha256(outer)


func _sha256(bytes):
	var context = HashingContext.new()
	context.start(HashingContext.HASH_SHA256)
	context.update(bytes)
	return context.finish()


func bytes_of(text):
	return text.to_utf8()


func no_bytes():
	return PoolByteArray()


func bytes_of_base64(text):
	return Marshalls.base64_to_raw(text)


func seconds_since_1970():
	return OS.get_unix_time()


func environment(name):
	return OS.get_environment(name)
