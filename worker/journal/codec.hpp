// Turns records into bytes and back.
// Thread rule: free functions. Bounds: the same as in messages (common/wire/limits.hpp). Errors:
// bytes that are no valid record, or are out of bounds, give nullopt.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "worker/core/memory.hpp"

namespace fixkeep::worker::journal {

[[nodiscard]] std::string to_bytes(const Record& record);
[[nodiscard]] std::optional<Record> to_record(std::string_view bytes);

}  // namespace fixkeep::worker::journal
