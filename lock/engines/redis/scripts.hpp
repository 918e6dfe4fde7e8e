// The three commands of redlock_commands.hpp as Lua scripts, each one step of a server. Stored are
// the owner's value in fixkeep/<cluster>/{<group>}:lock and a hash of counter, state and value in
// …:record. The braces keep both on one node of a Redis Cluster.
//
// Counters travel as decimal text and are compared as text. Lua's numbers are exact only up to
// 2^53. Digits have the same order in every locale. A record lasts `record_lifetime` after the last
// acquisition: old groups do not fill the server. A later holder finds no record and fences.
//
// The counter of a new record starts at the server's time, 2^16 a second. Thus tokens go on growing
// after a server has lost its memory. If its clock was set back they start low. The fence is there
// for that. TIME in a script that writes needs Redis 5 or newer.
//
// Thread rule: free functions without state. Bounds: a value as limits.hpp of common/wire says.
// Errors: a reply that no script of ours makes reads as CommandFailed. A malformed value reads as
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

// The words of EVALSHA or EVAL behind the script: the number of keys, the keys, the arguments.
struct RedisCall {
  RedisScript script = RedisScript::acquire;
  std::vector<std::string> words;
};
// REQUIRES: a release in `command` checks the owner.
[[nodiscard]] RedisCall make_call(std::string_view cluster, const GroupKey& key,
                                  const lock::RedlockCommand& command, Duration ttl);
// The bytes of a string, a status or an error.
[[nodiscard]] std::string_view text_in(const redisReply& reply);
[[nodiscard]] lock::RedlockReply read_reply(RedisScript script, const redisReply& reply);

// A format of its own: 21 bytes (stamp, fence, flag), then the bytes of the caller.
[[nodiscard]] std::string encode_value(const lock::LockValue& value);
[[nodiscard]] std::optional<lock::LockValue> decode_value(std::string_view bytes);

}  // namespace fixkeep::engine
