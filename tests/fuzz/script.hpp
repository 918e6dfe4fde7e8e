// The bytes of an input, read as a script: small choices, numbers and texts, one after another.
//
// Whatever is asked for is there: at the end of the bytes all choices are 0 and all texts empty.
// Thread rule: a value. Bounds: those of the input. Errors: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fixkeep::fuzz {

class Script {
 public:
  explicit Script(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }

  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto first = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return first;
  }
  // REQUIRES: 0 < choices <= 256.
  std::uint32_t below(std::uint32_t choices) { return byte() % choices; }
  bool flag() { return (byte() & 1U) != 0; }

  // Mostly small, as numbers are that mean something; after 255 come eight bytes, for any number.
  std::uint64_t number() {
    const std::uint8_t first = byte();
    if (first != 0xFF) return first;
    std::uint64_t all = 0;
    for (int i = 0; i < 8; ++i) all = all << 8U | byte();
    return all;
  }
  // Small, or any number up to `most`.
  std::uint64_t number_up_to(std::uint64_t most) {
    const std::uint64_t any = number();
    return any <= most ? any : any % (most + 1);
  }

  std::string_view take(std::size_t length) {
    const auto taken = rest_.substr(0, length);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view take_rest() { return take(rest_.size()); }

 private:
  std::string_view rest_;
};

}  // namespace fixkeep::fuzz
