// What a Redis server sends: RESP, as hiredis reads it, and what our scripts would have answered.
#include <hiredis/hiredis.h>

#include <memory>
#include <string>
#include <variant>

#include "common/base/assert.hpp"
#include "lock/engines/redis/reply_reader.hpp"
#include "lock/engines/redis/scripts.hpp"
#include "tests/fuzz/targets.hpp"

namespace fixkeep::fuzz {
namespace {

void check_reply(const redisReply& reply) {
  for (const auto script : engine::all_redis_scripts) {
    const auto read = engine::read_reply(script, reply);
    const auto* acquired = std::get_if<lock::AcquireReply>(&read);
    if (acquired == nullptr || !acquired->granted) continue;
    FIXKEEP_ASSERT(script == engine::RedisScript::acquire, "granted without being asked");
    FIXKEEP_ASSERT(acquired->counter <= largest_counter, std::to_string(acquired->counter));
    FIXKEEP_ASSERT(acquired->value.stamp.counter <= largest_counter, "stamp");
    FIXKEEP_ASSERT(acquired->value.fence.counter <= largest_counter, "fence");
  }
}

}  // namespace

void fuzz_redis_reply(std::string_view bytes) {
  const engine::ReplyReader reader = engine::make_reply_reader();
  redisReaderFeed(reader.get(), bytes.data(), bytes.size());
  for (;;) {
    void* read = nullptr;
    if (redisReaderGetReply(reader.get(), &read) != REDIS_OK || read == nullptr) return;
    const std::unique_ptr<redisReply, void (*)(void*)> reply{static_cast<redisReply*>(read),
                                                             freeReplyObject};
    check_reply(*reply);
  }
}

}  // namespace fixkeep::fuzz
