// A note is what a worker writes of a room for its next run: a file in memory, which the room's
// keeper holds for the next worker to read. It is gone with the last of both, and no disk has a
// part in it.
//
//   head    where the text begins and how long it is
//   text    before or after the one that the head names, until the head names it
//
// Invariant: a worker that is killed while it writes leaves the note before, whole.
// Fault model: the machine has no memory: write() says so, and the note stays as it was.
// Thread rule: a value with one owner. Bounds: `longest`; the file is as long as four of the
// longest notes. Errors: those of the system.
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
  // That of an earlier run.
  explicit RoomNote(process::Descriptor file);

  [[nodiscard]] Result<void> write(std::string_view text);
  // Nothing: the file is no note.
  [[nodiscard]] std::optional<std::string> read() const;
  // Stays ours.
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
