// The notes of rooms that something else keeps while no worker lives, such as an engine: a file for
// each in the state folder.
//
// Fault model: the worker is killed at any moment: a note is the new one or the one before, whole.
// A full disk keeps the note as it was. Thread rule: one owner; a note is written where note() is
// called, without a wait for a disk. Bounds: a file for each room, `longest` bytes are read of one.
// Errors: what cannot be written is logged.
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

  // The folder is made with the first note.
  explicit NoteFiles(std::string folder) : folder_(std::move(folder)) {}

  // The room has notes from now on, which begin with this one; empty: with what is there.
  void begin(RoomNumber room, const std::string& name, std::string_view text);
  void end(RoomNumber room);
  void forget_others();  // all notes of rooms that have not begun

  void note(RoomNumber room, std::string_view text) override;
  [[nodiscard]] std::optional<std::string> note_of(const std::string& name) const override;

 private:
  std::string folder_;
  std::map<RoomNumber, std::string> files_;
  Complaints complaints_{"file"};
};

}  // namespace fixkeep::worker
