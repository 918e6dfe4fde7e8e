// The notes of rooms that an engine keeps while no worker lives. Each has a file in the state
// folder.
//
// Fault model: the worker is killed at any moment: a note is the whole new one or the whole one
// before. A full disk keeps the old note. Thread rule: one owner; note() writes at once and waits
// for no disk. Bounds: a file for each room; `longest` bytes of it are read. Errors: a failed write
// is logged.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "worker/runner/complaints.hpp"
#include "worker/runner/game_runner.hpp"

namespace fixkeep::worker {

class NoteFiles final : public RoomNotes {
 public:
  static constexpr std::size_t longest = std::size_t{64} << 20U;

  // The first note makes the folder.
  explicit NoteFiles(std::string folder) : folder_(std::move(folder)) {}

  // The room has notes from now on. This one is the first. Empty: the existing one.
  void begin(RoomNumber room, const std::string& name, std::string_view text);
  void end(RoomNumber room);
  void forget_others();  // forgets the notes of rooms that have not begun

  void note(RoomNumber room, std::string_view text) override;
  [[nodiscard]] std::optional<std::string> note_of(const std::string& name) const override;

 private:
  std::string folder_;
  std::map<RoomNumber, std::string> files_;
  Complaints complaints_{"file"};
};

}  // namespace fixkeep::worker
