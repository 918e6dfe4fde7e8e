// Stores the notes of rooms that run in an engine and may outlive the worker. Each note is a file
// in the state folder.
//
// Fault model: the worker is killed at any moment: the file then contains the complete new note or
// the complete previous note. If the disk is full, the old note remains. Thread rule: one owner;
// note() writes immediately and waits for no disk. Bounds: a file for each room; a file of more
// than `longest` bytes is not read. Errors: a failed write is logged.
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

  // From now on, note() works for this room. Stores `text` as its note. If `text` is empty, stores
  // nothing: a note of the worker's earlier run remains.
  void begin(RoomNumber room, const std::string& name, std::string_view text);
  void end(RoomNumber room);
  void forget_others();  // deletes the notes of rooms without begin()

  void note(RoomNumber room, std::string_view text) override;
  [[nodiscard]] std::optional<std::string> note_of(const std::string& name) const override;

 private:
  std::string folder_;
  std::map<RoomNumber, std::string> files_;
  Complaints complaints_{"file"};
};

}  // namespace fixkeep::worker
