// Former settings and their successors. A file with a former key is refused, and a sentence names
// the successor.
//
// When a setting is removed, its key is added here. Keys are never deleted from this list, because
// configuration files may be of any age.
// Thread rule: free functions without state.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fixkeep::config {

struct RetiredKey {
  std::string_view key;  // "games[].cpu_weight"; "*" is any name
  std::string_view now;  // what replaces the key: "it is 10 seconds"
};

[[nodiscard]] std::span<const RetiredKey> retired_keys();

// Returns for example "is no longer a setting (it is 10 seconds): leave it out"; no value if `key`
// is no former setting.
[[nodiscard]] std::optional<std::string> why_retired(std::string_view key);

}  // namespace fixkeep::config
