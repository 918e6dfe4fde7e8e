// The record of a lock as etcd and ZooKeeper keep it, and the value as Redis does: others may write
// to those servers. The names that are made of a group's key, too.
#include <string>

#include "common/base/assert.hpp"
#include "lock/core/server/lock_record.hpp"
#include "lock/engines/redis/scripts.hpp"
#include "tests/fuzz/targets.hpp"

namespace fixkeep::fuzz {
namespace {

bool is_token(const FencingToken& token) {
  return token.counter <= largest_counter;
}

bool is_plain(std::string_view component) {
  return component.find_first_of("/{}\r\n ") == std::string_view::npos;
}

}  // namespace

void fuzz_lock_record(std::string_view bytes) {
  if (const auto record = lock::decode_record(bytes)) {
    FIXKEEP_ASSERT(record->ticket <= largest_counter && record->lift <= largest_counter, "number");
    FIXKEEP_ASSERT(is_token(record->value.stamp) && is_token(record->value.fence), "token");
    FIXKEEP_ASSERT(lock::decode_record(lock::encode_record(*record)) == record, "record");
  }
  if (const auto value = engine::decode_value(bytes)) {
    FIXKEEP_ASSERT(is_token(value->stamp) && is_token(value->fence), "token");
    FIXKEEP_ASSERT(engine::decode_value(engine::encode_value(*value)) == value, "value");
  }
  FIXKEEP_ASSERT(is_plain(lock::path_component(bytes)), lock::path_component(bytes));
}

}  // namespace fixkeep::fuzz
