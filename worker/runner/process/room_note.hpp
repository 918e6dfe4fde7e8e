// A note informs the worker's next run about a room. It is a file in memory and needs no disk. The
// worker and the room's keeper keep it open. The file vanishes when the worker and the keeper have
// ended.
//
//   head    where the text begins and how long it is
//   text    the present text; a new text is first written before or after it, and then the head
//           is changed
//
// Invariant: if a worker is killed while it writes, the whole previous note remains.
// Fault model: if the machine has no free memory, write() returns the error, and the note does not
// change.
// Thread rule: a value with one owner. Bounds: a note of more than `longest` bytes cannot be read;
// the file is shorter than four such notes. Errors: system errors.
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
  // Continues with the note of an earlier run.
  explicit RoomNote(process::Descriptor file);

  [[nodiscard]] Result<void> write(std::string_view text);
  // Returns the text. Nullopt: the file is not a note.
  [[nodiscard]] std::optional<std::string> read() const;
  // Returns the descriptor, which the note still owns.
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
