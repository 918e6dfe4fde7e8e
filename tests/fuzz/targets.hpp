// What is fuzzed: one function a target, each of which takes any bytes at all.
//
// A target feeds the bytes to a part of the product as somebody else would, and asserts what has to
// hold whatever they are (FIXKEEP_ASSERT); the sanitizers see to the rest. The same functions are
// linked with libFuzzer, one program a target, and with replay.cpp, for all corpora.
// Thread rule: one thread. Bounds: those of the input. Errors: an assertion is a find.
#pragma once

#include <string_view>

namespace fixkeep::fuzz {

// The one list of targets; CMakeLists.txt of this folder has their names as well.
#define FIXKEEP_FUZZ_TARGETS(X) \
  X(frames)                     \
  X(handshake)                  \
  X(http_request)               \
  X(http_response)              \
  X(match_body)                 \
  X(sdk_rest)                   \
  X(sdk_calls)                  \
  X(master_settings)            \
  X(worker_settings)            \
  X(journal)                    \
  X(seat_token)                 \
  X(player_token)               \
  X(lock_record)                \
  X(redis_reply)                \
  X(etcd_answer)                \
  X(zookeeper_names)            \
  X(engine_texts)               \
  X(hook_answer)                \
  X(game_packets)               \
  X(keeper)                     \
  X(master_core)                \
  X(worker_core)

#define FIXKEEP_FUZZ_DECLARE(name) void fuzz_##name(std::string_view bytes);
FIXKEEP_FUZZ_TARGETS(FIXKEEP_FUZZ_DECLARE)
#undef FIXKEEP_FUZZ_DECLARE

}  // namespace fixkeep::fuzz
