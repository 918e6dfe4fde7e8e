// The file of one room's output, and the folder with those of all rooms: see game_output.hpp.
// Thread rule: one owner. Bounds: `most` bytes a file, two files a room. Errors: returned.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace fixkeep::worker {

using OutputClock = std::chrono::steady_clock;

class OutputFile {
 public:
  OutputFile(std::string path, std::uint32_t most) : path_(std::move(path)), most_(most) {}

  // Writes the bytes, or counts them as left out if the file had its share of this second already.
  // REQUIRES: at most half of `most` at once. After an error the bytes are lost.
  [[nodiscard]] Result<void> append(std::string_view bytes, OutputClock::time_point now);

  [[nodiscard]] bool written() const { return written_; }

 private:
  Result<void> write(std::string_view bytes);

  std::string path_;
  std::uint64_t most_;
  std::uint64_t size_ = 0;
  OutputClock::time_point second_;  // when the present one began
  std::uint64_t this_second_ = 0;   // bytes that were written in it
  std::uint64_t left_out_ = 0;      // bytes, and the file does not say so yet
  bool written_ = false;
};

// The rooms that have ended, oldest first.
class OutputFolder {
 public:
  // Finds the files of earlier runs: those that begin with `prefix`.
  OutputFolder(std::string folder, const std::string& prefix, std::uint32_t kept);

  // Makes the folder if need be. Errors: those of the system; permission_denied if it belongs to
  // another user.
  [[nodiscard]] Result<void> make() const;
  [[nodiscard]] std::string path_of(const std::string& name) const;
  // Keeps the file of a room that has ended, and removes the oldest ones beyond the bound.
  void keep(const std::string& name);

 private:
  void remove_oldest();

  std::string folder_;
  std::uint32_t kept_;
  std::deque<std::string> ended_;
};

}  // namespace fixkeep::worker
