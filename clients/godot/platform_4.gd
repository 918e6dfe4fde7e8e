# SPDX-License-Identifier: MIT
# What fixkeep_client.gd needs of Godot 4. FIX Keep's tests run Godot 3 alone: Debian has no other.


func now_ms():
	return Time.get_ticks_msec()


func write_json(value):
	return JSON.stringify(value)


# Null if the text is no JSON.
func read_json(text):
	return JSON.parse_string(text)


func connect_http(http, endpoint):
	var tls = TLSOptions.client() if endpoint.secure else null
	return http.connect_to_host(endpoint.host, endpoint.port, tls)


# What fixkeep_door.gd needs: bytes of HMAC-SHA256, of texts, and of base64.
func hmac_sha256(key, message):
	return Crypto.new().hmac_digest(HashingContext.HASH_SHA256, key, message)


func bytes_of(text):
	return text.to_utf8_buffer()


func no_bytes():
	return PackedByteArray()


func bytes_of_base64(text):
	return Marshalls.base64_to_raw(text)


func seconds_since_1970():
	return Time.get_unix_time_from_system()


func environment(name):
	return OS.get_environment(name)
