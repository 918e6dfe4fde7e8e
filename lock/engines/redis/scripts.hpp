// The three commands of redlock_commands.hpp as Lua scripts. A server runs each script in one step.
// The key fixkeep/<cluster>/{<group>}:lock stores the owner's value, and …:record a hash of
// counter, state and value. Because of the braces, both keys are on one node of a Redis Cluster.
//
// Counters are sent and compared as decimal text because Lua's numbers are exact only up to 2^53.
// Digits have the same order in every locale. A record expires `record_lifetime` after the last
// acquisition, so that old groups do not fill the server. If the record has expired, the next
// holder finds no record and fences.
//
// The counter of a new record starts at the server's time, 2^16 per second. Thus tokens continue to
// grow after a server has lost its memory. If the server's clock was set back, tokens start too
// low; the fence covers this case. TIME in a script that writes needs Redis 5 or newer.
//
// Thread rule: free functions without state. Bounds: common/wire/limits.hpp for a value.
// Errors: a reply that our scripts do not make becomes CommandFailed. A malformed value becomes
// uncertain.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "lock/core/server/redlock_commands.hpp"

struct redisReply;

namespace fixkeep::engine {

inline constexpr std::chrono::hours record_lifetime{24};

enum class RedisScript : std::uint8_t { acquire, extend, release };
inline constexpr std::array all_redis_scripts{RedisScript::acquire, RedisScript::extend,
                                              RedisScript::release};
[[nodiscard]] std::string_view text_of(RedisScript script);

// The words that follow the script in EVALSHA or EVAL: the number of keys, the keys, the arguments.
struct RedisCall {
  RedisScript script = RedisScript::acquire;
  std::vector<std::string> words;
};
// REQUIRES: a release in `command` checks the owner.
[[nodiscard]] RedisCall make_call(std::string_view cluster, const GroupKey& key,
                                  const lock::RedlockCommand& command, Duration ttl);
// Returns the bytes of a string, a status or an error.
[[nodiscard]] std::string_view text_in(const redisReply& reply);
[[nodiscard]] lock::RedlockReply read_reply(RedisScript script, const redisReply& reply);

// The format of a stored value: 21 bytes (stamp, fence, flag), then the caller's bytes.
[[nodiscard]] std::string encode_value(const lock::LockValue& value);
[[nodiscard]] std::optional<lock::LockValue> decode_value(std::string_view bytes);

}  // namespace fixkeep::engine
