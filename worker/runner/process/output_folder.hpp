// The folder with the output of all rooms of a worker, a file or two each: see
// worker/keeper/output_file.hpp.
//
// Invariant: at most `kept` rooms that have ended have files in the folder, those of earlier runs
// of
//            the worker included; the oldest ones are removed.
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
  // Finds the files of earlier runs: those that begin with `prefix`.
  OutputFolder(std::string folder, const std::string& prefix, std::uint32_t kept);

  // Makes the folder if need be. Errors: those of the system; permission_denied if it belongs to
  // another user.
  [[nodiscard]] Result<void> make() const;
  // Does the same as make(), but looks at no disk if it was made before and nobody had trouble with
  // it since.
  [[nodiscard]] Result<void> make_once();
  void had_trouble() { made_ = false; }
  [[nodiscard]] std::string path_of(const std::string& name) const;
  // The room goes on: its file is not one of those that are removed.
  void goes_on(const std::string& name) { std::erase(ended_, name); }
  // Keeps the file of a room that has ended, if it wrote one, and removes the oldest ones beyond
  // the bound.
  void keep(const std::string& name);
  // The end of what the room wrote, at most so many bytes; nothing if there is no file of
  // its, or no room could have this name.
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
