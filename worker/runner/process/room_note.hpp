// A note tells the next run about a room: a memory file that the room's keeper holds for the next
// worker. It is gone when both are gone. It needs no disk.
//
//   head    where the text begins and how long it is
//   text before or after the one that the head names until the head names it
//
// Invariant: a worker that is killed while it writes leaves the whole previous note. Fault model:
// the machine has no memory: write() says so and the note stays as it was.
// Thread rule: a value with one owner. Bounds: `longest`; the file is as long as four of the
// longest notes. Errors: system errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/process/descriptor.hpp"

namespace fixkeep::worker {

class RoomNote {
 public:
  static constexpr std::size_t longest = std::size_t{64} << 20U;

  [[nodiscard]] static Result<RoomNote> make(std::string_view text);
  // Takes the note of an earlier run.
  explicit RoomNote(process::Descriptor file);

  [[nodiscard]] Result<void> write(std::string_view text);
  // Nullopt: the file is no note.
  [[nodiscard]] std::optional<std::string> read() const;
  // The note keeps the descriptor.
  [[nodiscard]] int descriptor() const { return file_.get(); }

 private:
  struct Head {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };

  process::Descriptor file_;
  Head head_;
};

}  // namespace fixkeep::worker
