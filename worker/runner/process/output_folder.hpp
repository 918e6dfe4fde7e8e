// The folder with the output of all rooms of a worker. Each room has one or two files
// (worker/keeper/output_file.hpp).
//
// Invariant: at most `kept` ended rooms have files in the folder, including rooms of earlier runs.
//            The oldest files are removed.
// Thread rule: one owner. Errors: returned.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "common/base/result.hpp"

namespace fixkeep::worker {

class OutputFolder {
 public:
  // Finds the files of earlier runs. Their names begin with `prefix`.
  OutputFolder(std::string folder, const std::string& prefix, std::uint32_t kept);

  // Makes the folder if needed. Errors: system errors; EPERM if it, or a link that leads to it,
  // belongs to another user.
  [[nodiscard]] Result<void> make() const;
  // Calls make(). After a success, it does nothing until had_trouble() is called.
  [[nodiscard]] Result<void> make_once();
  void had_trouble() { made_ = false; }
  [[nodiscard]] std::string path_of(const std::string& name) const;
  // Notes that the room continues: its file is not removed.
  void goes_on(const std::string& name) { std::erase(ended_, name); }
  // Keeps the file of an ended room, if the room has a file. Removes the oldest files beyond the
  // bound.
  void keep(const std::string& name);
  // Returns the last output of the room: at most `most` bytes. Nullopt if the room has no file, or
  // if `name` is not the name of a room.
  [[nodiscard]] std::optional<std::string> last(const std::string& name, std::size_t most) const;

 private:
  void remove_oldest();

  std::string folder_;
  std::string prefix_;
  std::uint32_t kept_;
  std::deque<std::string> ended_;
  bool made_ = false;
};

}  // namespace fixkeep::worker
