// Former settings and their successors. A file with a former key anywhere is refused with a
// sentence about it.
//
// A key is added when a setting goes. It never leaves: files may be of any age.
// Thread rule: free functions without state.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fixkeep::config {

struct RetiredKey {
  std::string_view key;  // "games[].cpu_weight"; "*" stands for any name
  std::string_view now;  // "it is 10 seconds"
};

[[nodiscard]] std::span<const RetiredKey> retired_keys();

// "is no longer a setting (it is 10 seconds): leave it out"; no value: `key` never was a setting.
[[nodiscard]] std::optional<std::string> why_retired(std::string_view key);

}  // namespace fixkeep::config
