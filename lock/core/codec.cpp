#include "lock/core/codec.hpp"

#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include "common/base/assert.hpp"
#include "lock/core/limits.hpp"

namespace fixkeep::lock {
namespace {

// --- sizes: a zero scalar is omitted, a number takes a byte per seven bits, and everything else
// --- begins with its length

constexpr std::size_t tag_bytes = 1;  // every field number is below 16
constexpr std::size_t prefix_bytes = 4;

std::size_t size_of(std::uint64_t number) {
  return (static_cast<std::size_t>(std::bit_width(number | 1U)) + 6) / 7;
}

std::size_t scalar_size(std::uint64_t number) {
  return number == 0 ? 0 : tag_bytes + size_of(number);
}

// A nested message is written even if it is empty.
std::size_t nested_size(std::size_t length) {
  return tag_bytes + size_of(length) + length;
}

std::size_t text_size(const std::string& text) {
  return text.empty() ? 0 : nested_size(text.size());
}

std::size_t body_size(const FencingToken& token) {
  return scalar_size(token.counter) + scalar_size(token.master.number());
}

std::size_t body_size(const LockValue& value) {
  return nested_size(body_size(value.stamp)) + scalar_size(value.uncertain ? 1 : 0) +
         text_size(value.bytes) + nested_size(body_size(value.fence));
}

std::size_t body_size(const LockMessage& message) {
  const bool valued = message.value != LockValue{};
  return text_size(message.key.text()) + scalar_size(message.kind) + scalar_size(message.round) +
         nested_size(body_size(message.token)) +
         (valued ? nested_size(body_size(message.value)) : 0) +
         scalar_size(message.awaited ? 1 : 0);
}

// --- writing

enum class Form : std::uint8_t { number = 0, eight_bytes = 1, length = 2, four_bytes = 5 };

void put_varint(std::uint64_t number, std::string& out) {
  for (; number > 0x7FU; number >>= 7U) out.push_back(static_cast<char>(number | 0x80U));
  out.push_back(static_cast<char>(number));
}

void put_tag(std::uint32_t field, Form form, std::string& out) {
  put_varint((std::uint64_t{field} << 3U) | static_cast<std::uint64_t>(form), out);
}

void put_scalar(std::uint32_t field, std::uint64_t number, std::string& out) {
  if (number == 0) return;
  put_tag(field, Form::number, out);
  put_varint(number, out);
}

void put_length(std::uint32_t field, std::size_t length, std::string& out) {
  put_tag(field, Form::length, out);
  put_varint(length, out);
}

void put_text(std::uint32_t field, const std::string& text, std::string& out) {
  if (text.empty()) return;
  put_length(field, text.size(), out);
  out.append(text);
}

void put_token(std::uint32_t field, const FencingToken& token, std::string& out) {
  FIXKEEP_ASSERT(token.counter <= limits::counter, std::to_string(token.counter));
  put_length(field, body_size(token), out);
  put_scalar(1, token.counter, out);
  put_scalar(2, token.master.number(), out);
}

void put_masters(std::uint32_t field, const std::vector<MasterId>& masters, std::string& out) {
  FIXKEEP_ASSERT(masters.size() <= limits::masters, std::to_string(masters.size()));
  if (masters.empty()) return;
  std::size_t length = 0;
  for (const MasterId master : masters) length += size_of(master.number());
  put_length(field, length, out);
  for (const MasterId master : masters) put_varint(master.number(), out);
}

// --- reading

// Reads the fields of a message one by one.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}

  // Reads the next field. Returns false at the end or if the message is malformed.
  [[nodiscard]] bool next() {
    if (rest_.empty() || malformed_) return false;
    const std::uint64_t tag = varint();
    field_ = tag >> 3U;
    form_ = static_cast<Form>(tag & 7U);
    if (field_ == 0 || field_ > largest_field) malformed_ = true;
    switch (form_) {
      case Form::number: number_ = varint(); break;
      case Form::length: bytes_ = take(varint()); break;
      case Form::eight_bytes: (void)take(8); break;
      case Form::four_bytes: (void)take(4); break;
      default: malformed_ = true;  // obsolete groups, written by no master
    }
    return !malformed_;
  }
  [[nodiscard]] bool well_formed() const { return !malformed_; }

  [[nodiscard]] bool is(std::uint32_t field, Form form) const {
    return field_ == field && form_ == form;
  }
  [[nodiscard]] bool is_number(std::uint32_t field) const { return is(field, Form::number); }
  [[nodiscard]] bool is_bytes(std::uint32_t field) const { return is(field, Form::length); }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

  // One field can contain a packed list: more() and varint() read its numbers one by one.
  [[nodiscard]] bool more() const { return !rest_.empty() && !malformed_; }
  [[nodiscard]] std::uint64_t varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      number |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte <= 0x7FU) return number;
    }
    malformed_ = true;
    return 0;
  }

 private:
  static constexpr std::uint64_t largest_field = (1U << 29U) - 1;

  [[nodiscard]] std::string_view take(std::uint64_t length) {
    if (length > rest_.size()) malformed_ = true;
    if (malformed_) return {};
    const auto taken = rest_.substr(0, static_cast<std::size_t>(length));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
  std::uint64_t field_ = 0;
  Form form_ = Form::number;
  std::uint64_t number_ = 0;
  std::string_view bytes_;
  bool malformed_ = false;
};

bool get(std::string_view bytes, FencingToken& out) {
  Fields fields{bytes};
  std::uint64_t master = 0;
  while (fields.next()) {
    if (fields.is_number(1)) out.counter = fields.number();
    if (fields.is_number(2)) master = fields.number();
  }
  out.master = MasterId{static_cast<std::uint16_t>(master)};
  return fields.well_formed() && out.counter <= limits::counter &&
         master <= std::numeric_limits<std::uint16_t>::max();
}

bool get(std::string_view bytes, LockValue& out) {
  Fields fields{bytes};
  while (fields.next()) {
    if (fields.is_bytes(1) && !get(fields.bytes(), out.stamp)) return false;
    if (fields.is_number(2)) out.uncertain = fields.number() != 0;
    if (fields.is_bytes(3)) out.bytes = fields.bytes();
    if (fields.is_bytes(4) && !get(fields.bytes(), out.fence)) return false;
  }
  return fields.well_formed() && out.bytes.size() <= limits::value_bytes;
}

bool add_master(std::uint64_t number, std::vector<MasterId>& out) {
  const bool ascends = number > (out.empty() ? 0U : out.back().number());
  if (!ascends || number > 0xFFFFU || out.size() == limits::masters) return false;
  out.emplace_back(static_cast<std::uint16_t>(number));
  return true;
}

bool get_masters(const Fields& fields, std::uint32_t field, std::vector<MasterId>& out) {
  if (fields.is_number(field)) return add_master(fields.number(), out);
  if (!fields.is_bytes(field)) return true;
  Fields packed{fields.bytes()};
  while (packed.more()) {
    if (!add_master(packed.varint(), out)) return false;
  }
  return packed.well_formed();
}

// A holder stamps its value with its own token and knows no later fence. A master that forwards a
// value knows the value's token.
bool could_be_written(const LockMessage& message) {
  const LockValue& value = message.value;
  return value.fence <= value.stamp && value.stamp <= message.token;
}

}  // namespace

// --- a LockMessage -------------------------------------------------------------------------------

void append(const LockMessage& message, std::string& out) {
  const std::string& key = message.key.text();
  const LockValue& value = message.value;
  FIXKEEP_ASSERT(key.size() <= limits::key_bytes && value.bytes.size() <= limits::value_bytes, key);
  put_text(1, key, out);
  put_scalar(2, message.kind, out);
  put_scalar(3, message.round, out);
  put_token(4, message.token, out);
  if (value != LockValue{}) {
    put_length(5, body_size(value), out);
    put_token(1, value.stamp, out);
    put_scalar(2, value.uncertain ? 1 : 0, out);
    put_text(3, value.bytes, out);
    put_token(4, value.fence, out);
  }
  put_scalar(6, message.awaited ? 1 : 0, out);
}

bool parse(std::string_view bytes, LockMessage& out) {
  Fields fields{bytes};
  out = {};
  std::uint64_t kind = 0;
  while (fields.next()) {
    if (fields.is_bytes(1)) out.key = GroupKey{std::string{fields.bytes()}};
    if (fields.is_number(2)) kind = fields.number();
    if (fields.is_number(3)) out.round = fields.number();
    if (fields.is_bytes(4) && !get(fields.bytes(), out.token)) return false;
    if (fields.is_bytes(5) && !get(fields.bytes(), out.value)) return false;
    if (fields.is_number(6)) out.awaited = fields.number() != 0;
  }
  out.kind = static_cast<std::uint8_t>(kind);
  return fields.well_formed() && !out.key.empty() && out.key.text().size() <= limits::key_bytes &&
         kind <= std::numeric_limits<std::uint8_t>::max() && out.round <= limits::counter &&
         could_be_written(out);
}

std::size_t frame_size(const LockMessage& message) {
  return prefix_bytes + nested_size(body_size(message));
}

// --- a MeshHello, a MasterList -------------------------------------------------------------------

void append(const MeshHello& hello, std::string& out) {
  FIXKEEP_ASSERT(hello.outstanding.size() <= limits::outstanding,
                 std::to_string(hello.outstanding.size()));
  FIXKEEP_ASSERT(hello.highest_counter <= limits::counter, std::to_string(hello.highest_counter));
  for (const LockMessage& message : hello.outstanding) {
    put_length(1, body_size(message), out);
    append(message, out);
  }
  for (const WorkerId& worker : hello.workers) {
    FIXKEEP_ASSERT(!worker.empty() && worker.text().size() <= limits::worker_bytes, worker.text());
    put_text(2, worker.text(), out);
  }
  put_scalar(3, hello.last ? 1 : 0, out);
  put_masters(4, hello.masters, out);
  put_scalar(20, hello.highest_counter, out);
}

bool parse(std::string_view bytes, MeshHello& out) {
  Fields fields{bytes};
  out = {};
  out.last = false;
  while (fields.next()) {
    if (fields.is_bytes(1)) {
      if (out.outstanding.size() == limits::outstanding) return false;
      if (!parse(fields.bytes(), out.outstanding.emplace_back())) return false;
    }
    if (fields.is_bytes(2)) {
      const auto name = fields.bytes();
      if (name.empty() || name.size() > limits::worker_bytes) return false;
      if (out.workers.size() == limits::workers) return false;
      out.workers.emplace_back(std::string{name});
    }
    if (fields.is_number(3)) out.last = fields.number() != 0;
    if (!get_masters(fields, 4, out.masters)) return false;
    if (fields.is_number(20)) out.highest_counter = fields.number();
  }
  return fields.well_formed() && out.highest_counter <= limits::counter;
}

void append(const MasterList& list, std::string& out) {
  put_masters(1, list.masters, out);
}

bool parse(std::string_view bytes, MasterList& out) {
  Fields fields{bytes};
  out = {};
  while (fields.next()) {
    if (!get_masters(fields, 1, out.masters)) return false;
  }
  return fields.well_formed() && !out.masters.empty();
}

// --- a MeshMessage -------------------------------------------------------------------------------

void append(const MeshMessage& message, std::string& out) {
  std::string body;
  std::visit([&](const auto& said) { append(said, body); }, message);
  put_length(static_cast<std::uint32_t>(message.index() + 1), body.size(), out);
  out.append(body);
}

bool parse(std::string_view bytes, MeshMessage& out) {
  Fields fields{bytes};
  bool read = false;
  while (fields.next()) {
    if (fields.is_bytes(1)) read = parse(fields.bytes(), out.emplace<LockMessage>());
    if (fields.is_bytes(2)) read = parse(fields.bytes(), out.emplace<MeshHello>());
    if (fields.is_bytes(3)) read = parse(fields.bytes(), out.emplace<MasterList>());
  }
  return fields.well_formed() && read;
}

}  // namespace fixkeep::lock
