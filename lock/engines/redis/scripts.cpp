#include "lock/engines/redis/scripts.hpp"

#include <hiredis/hiredis.h>

#include <charconv>
#include <utility>

#include "common/base/assert.hpp"

namespace fixkeep::engine {
namespace {

// KEYS: lock, record. ARGV: owner, ttl, above, lifetime of the record.
constexpr std::string_view acquire_text = R"lua(
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return {0} end
local seen = redis.call('HMGET', KEYS[2], 'counter', 'state', 'value')
local counter, above = seen[1], ARGV[3]
if not counter then counter = string.format('%.0f', redis.call('TIME')[1] * 65536) end
local least = counter
if #above > #counter or (#above == #counter and above > counter) then least = above end
if least ~= seen[1] then redis.call('HSET', KEYS[2], 'counter', least) end
redis.call('HINCRBY', KEYS[2], 'counter', 1)
local clean = seen[2] == 'clean'
redis.call('HSET', KEYS[2], 'state', clean and 'held' or 'dirty')
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return {1, counter, clean and 1 or 0, seen[3] or ''}
)lua";

// KEYS: lock, record. ARGV: owner, ttl, counter.
constexpr std::string_view extend_text = R"lua(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local counter, least = redis.call('HGET', KEYS[2], 'counter') or '0', ARGV[3]
if #least > #counter or (#least == #counter and least > counter) then
  redis.call('HSET', KEYS[2], 'counter', least)
end
return 1
)lua";

// KEYS: lock, record. ARGV: owner, how, counter, value.
constexpr std::string_view release_text = R"lua(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
local counter, mine = redis.call('HGET', KEYS[2], 'counter') or '0', ARGV[3]
local behind = #mine < #counter or (#mine == #counter and mine < counter)
if ARGV[2] == 'clean' and not behind then
  redis.call('HSET', KEYS[2], 'counter', mine, 'state', 'clean', 'value', ARGV[4])
elseif ARGV[2] ~= 'leave' and redis.call('HGET', KEYS[2], 'state') == 'held' then
  redis.call('HSET', KEYS[2], 'state', 'clean')
end
return 1
)lua";

// Rounds up, so that the lock lasts at least as long as the master assumes.
std::string milliseconds_of(Duration duration) {
  return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

std::string_view name_of(lock::ReleaseCommand::How how) {
  switch (how) {
    case lock::ReleaseCommand::How::clean: return "clean";
    case lock::ReleaseCommand::How::undo: return "undo";
    case lock::ReleaseCommand::How::leave: return "leave";
  }
  return "leave";
}

std::optional<std::uint64_t> parse_counter(std::string_view text) {
  std::uint64_t counter = 0;
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, counter);
  if (error != std::errc{} || rest != end || counter > largest_counter) return {};
  return counter;
}

lock::RedlockReply read_acquired(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements == 0) return lock::CommandFailed{};
  const redisReply& granted = *reply.element[0];
  if (granted.type != REDIS_REPLY_INTEGER) return lock::CommandFailed{};
  if (granted.integer == 0) return lock::AcquireReply{};
  if (reply.elements != 4) return lock::CommandFailed{};
  const redisReply& counter = *reply.element[1];
  const redisReply& clean = *reply.element[2];
  const redisReply& value = *reply.element[3];
  if (counter.type != REDIS_REPLY_STRING || clean.type != REDIS_REPLY_INTEGER ||
      value.type != REDIS_REPLY_STRING) {
    return lock::CommandFailed{};
  }
  const auto before = parse_counter(text_in(counter));
  if (!before) return lock::CommandFailed{};
  lock::AcquireReply read{true, *before, clean.integer == 1, {}};
  if (auto stored = decode_value(text_in(value))) {
    read.value = std::move(*stored);
  } else {
    read.value.uncertain = true;
  }
  return read;
}

// Appends the number, highest byte first.
template <class Number>
void put(Number number, std::string& out) {
  for (std::size_t byte = sizeof(Number); byte-- > 0;) {
    out += static_cast<char>(static_cast<std::uint64_t>(number) >> (8U * byte) & 0xffU);
  }
}

template <class Number>
Number take(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (std::size_t byte = 0; byte < sizeof(Number); ++byte) {
    number = number << 8U | static_cast<unsigned char>(bytes[byte]);
  }
  bytes.remove_prefix(sizeof(Number));
  return static_cast<Number>(number);
}

FencingToken take_token(std::string_view& bytes) {
  const auto counter = take<std::uint64_t>(bytes);
  return {counter, MasterId{take<std::uint16_t>(bytes)}};
}

constexpr std::size_t value_head_bytes = 21;

}  // namespace

std::string_view text_in(const redisReply& reply) {
  return {reply.str, reply.len};
}

std::string_view text_of(RedisScript script) {
  switch (script) {
    case RedisScript::acquire: return acquire_text;
    case RedisScript::extend: return extend_text;
    case RedisScript::release: return release_text;
  }
  return {};
}

RedisCall make_call(std::string_view cluster, const GroupKey& key,
                    const lock::RedlockCommand& command, Duration ttl) {
  RedisCall call;
  const auto name = "fixkeep/" + std::string{cluster} + "/{" + key.text() + "}:";
  call.words = {"2", name + "lock", name + "record", command.owner};
  if (const auto* acquire = std::get_if<lock::AcquireCommand>(&command.order)) {
    call.script = RedisScript::acquire;
    call.words.push_back(milliseconds_of(ttl));
    call.words.push_back(std::to_string(acquire->above));
    call.words.push_back(milliseconds_of(record_lifetime));
  } else if (const auto* extend = std::get_if<lock::ExtendCommand>(&command.order)) {
    call.script = RedisScript::extend;
    call.words.push_back(milliseconds_of(ttl));
    call.words.push_back(std::to_string(extend->counter));
  } else {
    const auto& release = std::get<lock::ReleaseCommand>(command.order);
    FIXKEEP_ASSERT(release.check_owner, key.text());
    call.script = RedisScript::release;
    call.words.emplace_back(name_of(release.how));
    call.words.push_back(std::to_string(release.counter));
    call.words.push_back(encode_value(release.value));
  }
  return call;
}

lock::RedlockReply read_reply(RedisScript script, const redisReply& reply) {
  if (script == RedisScript::acquire) return read_acquired(reply);
  if (reply.type != REDIS_REPLY_INTEGER) return lock::CommandFailed{};
  return lock::OwnerReply{reply.integer == 1};
}

std::string encode_value(const lock::LockValue& value) {
  if (value == lock::LockValue{}) return {};
  std::string bytes;
  bytes.reserve(value_head_bytes + value.bytes.size());
  put(value.stamp.counter, bytes);
  put(value.stamp.master.number(), bytes);
  put(value.fence.counter, bytes);
  put(value.fence.master.number(), bytes);
  bytes += value.uncertain ? '\1' : '\0';
  return bytes + value.bytes;
}

std::optional<lock::LockValue> decode_value(std::string_view bytes) {
  if (bytes.empty()) return lock::LockValue{};
  if (bytes.size() < value_head_bytes) return {};
  lock::LockValue value;
  value.stamp = take_token(bytes);
  value.fence = take_token(bytes);
  if (value.stamp.counter > largest_counter || value.fence.counter > largest_counter) return {};
  if (value.fence > value.stamp) return {};  // no holder knows a fence later than its own token
  if (bytes[0] != '\0' && bytes[0] != '\1') return {};
  value.uncertain = bytes[0] == '\1';
  value.bytes = bytes.substr(1);
  return value;
}

}  // namespace fixkeep::engine
