// OutputFile writes the output of one room to a file, and keeps the last full file:
//
//   FOLDER/w1-5f3a9c0211d2e4b7-12.log     and .log.1
//
// Invariants: 1. No file is larger than `most` bytes. There are at most two files.
//             2. At most `most` bytes a second are written. The file states how many bytes are left
// out. Thread rule: one owner. Errors: returned. The bytes are lost and a later call may succeed.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace fixkeep::worker::keeper {

using OutputClock = std::chrono::steady_clock;

class OutputFile {
 public:
  OutputFile(std::string path, std::uint32_t most) : path_(std::move(path)), most_(most) {}

  // Writes the bytes, or counts them as left out if this second's limit is reached. REQUIRES: at
  // most half of `most` bytes in one call.
  [[nodiscard]] Result<void> append(std::string_view bytes, OutputClock::time_point now);

 private:
  Result<void> write(std::string_view bytes);

  std::string path_;
  std::uint64_t most_;
  std::uint64_t size_ = 0;
  OutputClock::time_point second_;  // beginning of the current second
  std::uint64_t this_second_ = 0;   // bytes written in the current second
  std::uint64_t left_out_ = 0;      // bytes left out and not yet reported in the file
};

}  // namespace fixkeep::worker::keeper
