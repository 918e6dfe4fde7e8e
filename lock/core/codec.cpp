#include "lock/core/codec.hpp"

#include <algorithm>

#include "common/base/assert.hpp"
#include "common/record/ids.hpp"
#include "common/record/record.hpp"
#include "lock/core/limits.hpp"

namespace fixkeep::lock {

void describe(auto& fields, Described<LockValue> auto& value) {
  fields.nested(1, value.stamp);
  fields.number(2, value.uncertain);
  fields.text(3, value.bytes, limits::value_bytes);
  fields.nested(4, value.fence);
}

void describe(auto& fields, Described<LockTurn> auto& turn) {
  fields.number(1, turn.master);
  fields.number(2, turn.number, limits::counter);
  fields.number(3, turn.waits);
}

void describe(auto& fields, Described<LockMessage> auto& message) {
  fields.id(1, message.key, limits::key_bytes);
  fields.number(2, message.kind);
  fields.number(3, message.round, limits::counter);
  fields.nested(4, message.token);
  if (fields.reads || message.value != LockValue{}) fields.nested(5, message.value);
  fields.number(6, message.awaited);
  if (fields.reads || message.epoch != FencingToken{}) fields.nested(7, message.epoch);
  fields.list(8, message.turns, limits::masters);
}
// Returns false for numbers that no master sends. `token` is the highest fencing token that the
// sender knows. A value's stamp is the token of the hold that wrote the value, so the stamp is at
// most `token`, and the value's fence is at most the stamp. The number of a ballot or of a token
// (`epoch`) is also at most `token`.
static bool holds(const LockMessage& message) {
  const LockValue& value = message.value;
  return value.fence <= value.stamp && value.stamp <= message.token &&
         message.epoch <= message.token;
}

static bool ascend(const std::vector<MasterId>& masters) {
  return (masters.empty() || masters.front().number() > 0) &&
         std::ranges::adjacent_find(masters, std::greater_equal<>{}) == masters.end();
}

void describe(auto& fields, Described<MeshHello> auto& hello) {
  fields.list(1, hello.outstanding, limits::outstanding);
  fields.ids(2, hello.workers, limits::workers, limits::worker_bytes);
  fields.number(3, hello.last);
  fields.numbers(4, hello.masters, limits::masters);
  fields.number(20, hello.highest_counter, limits::counter);
}
static bool holds(const MeshHello& hello) {
  return ascend(hello.masters);
}

void describe(auto& fields, Described<MasterList> auto& list) {
  fields.numbers(1, list.masters, limits::masters);
}
static bool holds(const MasterList& list) {
  return !list.masters.empty() && ascend(list.masters);
}

namespace {

constexpr std::size_t prefix_bytes = 4;

void assert_bounds(const FencingToken& token) {
  FIXKEEP_ASSERT(token.counter <= limits::counter, std::to_string(token.counter));
}

bool parse_record(std::string_view bytes, auto& out) {
  out = {};
  return read_record(bytes, out);
}

}  // namespace

void append(const LockMessage& message, std::string& out) {
  const std::string& key = message.key.text();
  const LockValue& value = message.value;
  FIXKEEP_ASSERT(key.size() <= limits::key_bytes && value.bytes.size() <= limits::value_bytes, key);
  assert_bounds(message.token);
  assert_bounds(value.stamp);
  assert_bounds(value.fence);
  FIXKEEP_ASSERT(message.turns.size() <= limits::masters, key);
  append_record(message, out);
}

void append(const MeshHello& hello, std::string& out) {
  FIXKEEP_ASSERT(hello.outstanding.size() <= limits::outstanding,
                 std::to_string(hello.outstanding.size()));
  FIXKEEP_ASSERT(hello.highest_counter <= limits::counter, std::to_string(hello.highest_counter));
  FIXKEEP_ASSERT(hello.masters.size() <= limits::masters, std::to_string(hello.masters.size()));
  for (const WorkerId& worker : hello.workers) {
    FIXKEEP_ASSERT(!worker.empty() && worker.text().size() <= limits::worker_bytes, worker.text());
  }
  append_record(hello, out);
}

void append(const MasterList& list, std::string& out) {
  FIXKEEP_ASSERT(list.masters.size() <= limits::masters, std::to_string(list.masters.size()));
  append_record(list, out);
}

bool parse(std::string_view bytes, LockMessage& out) {
  return parse_record(bytes, out);
}
bool parse(std::string_view bytes, MeshHello& out) {
  return parse_record(bytes, out);
}
bool parse(std::string_view bytes, MasterList& out) {
  return parse_record(bytes, out);
}

std::size_t frame_size(const LockMessage& message) {
  std::string frame;
  record::Writer{frame}.nested(1, message);
  return prefix_bytes + frame.size();
}

// --- a MeshMessage: the field's number is the kind's place in the variant, from 1 ----------------

void append(const MeshMessage& message, std::string& out) {
  std::string body;
  std::visit([&](const auto& said) { append(said, body); }, message);
  record::Writer{out}.put(static_cast<std::uint32_t>(message.index() + 1), body);
}

bool parse(std::string_view bytes, MeshMessage& out) {
  record::Cursor fields{bytes};
  bool read = false;
  while (fields.next()) {
    if (fields.is(1, record::Form::length))
      read = parse(fields.payload(), out.emplace<LockMessage>());
    if (fields.is(2, record::Form::length))
      read = parse(fields.payload(), out.emplace<MeshHello>());
    if (fields.is(3, record::Form::length))
      read = parse(fields.payload(), out.emplace<MasterList>());
  }
  return fields.good() && read;
}

}  // namespace fixkeep::lock
