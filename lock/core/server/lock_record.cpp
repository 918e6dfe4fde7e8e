#include "lock/core/server/lock_record.hpp"

#include <charconv>

#include "common/base/percent.hpp"

namespace fixkeep::lock {
namespace {

constexpr std::string_view head = "fixkeep1";

void put(std::uint64_t number, std::string& out) {
  out += ' ';
  out += std::to_string(number);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  template <class Number>
  void take(Number& number) {
    if (!good_ || !rest_.starts_with(' ')) {
      good_ = false;
      return;
    }
    rest_.remove_prefix(1);
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    good_ = error == std::errc{} && std::uint64_t{number} <= largest_counter;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  }
  void take(FencingToken& token) {
    MasterId::rep master = 0;
    take(token.counter);
    take(master);
    token.master = MasterId{master};
  }
  // Returns true if the whole text was read without an error.
  [[nodiscard]] bool complete() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace

std::string encode_record(const LockRecord& record) {
  std::string out{head};
  put(record.ticket, out);
  put(record.lift, out);
  put(record.value.stamp.counter, out);
  put(record.value.stamp.master.number(), out);
  put(record.value.fence.counter, out);
  put(record.value.fence.master.number(), out);
  put(record.value.uncertain ? 1 : 0, out);
  out += '\n';
  out += record.value.bytes;
  return out;
}

std::optional<LockRecord> decode_record(std::string_view bytes) {
  const auto line_end = bytes.find('\n');
  if (line_end == std::string_view::npos || !bytes.starts_with(head)) return {};
  Reader reader{bytes.substr(head.size(), line_end - head.size())};
  LockRecord record;
  unsigned uncertain = 0;
  reader.take(record.ticket);
  reader.take(record.lift);
  reader.take(record.value.stamp);
  reader.take(record.value.fence);
  reader.take(uncertain);
  if (!reader.complete() || uncertain > 1) return {};
  if (record.value.fence > record.value.stamp) return {};  // no holder writes this
  record.value.uncertain = uncertain == 1;
  record.value.bytes = bytes.substr(line_end + 1);
  return record;
}

std::string path_component(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  append_percent_encoded(name, "-_:", out);
  return out;
}

}  // namespace fixkeep::lock
