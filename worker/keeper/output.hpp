// The output of a game is taken from a pipe or a pseudo-terminal as fast as it comes, so that a
// game waits neither for a worker nor for a full disk; it is kept in a file within its bounds, and
// its end in memory.
//
// Files as the game's own descriptors, the alternative, would have no bound, and a full disk would
// fail the game's writes.
// Thread rule: one owner. Bounds: those of OutputFile; `last_line_bytes` in memory. Errors: those
// of the disk cost output, never the game.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "worker/keeper/output_file.hpp"

namespace fixkeep::worker::keeper {

class Output {
 public:
  // An empty path: nothing is kept in a file.
  Output(std::string path, std::uint32_t file_bytes);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // The game's end, to be closed once the game has it; -1: there is none, see errno.
  [[nodiscard]] int open(bool terminal);

  [[nodiscard]] int descriptor() const { return descriptor_; }  // to be read; -1: closed
  using Seen = std::function<void(std::string_view bytes)>;
  // One look, so that others get their turn. `seen` gets all bytes.
  void read(const Seen& seen);
  // Takes what is still there after the game has ended; then the output is closed.
  void drain(const Seen& seen);

  [[nodiscard]] const std::string& last_lines() const { return last_lines_; }
  // The last error of the disk since it was asked; 0: none.
  [[nodiscard]] int take_error();

 private:
  bool read_some(const Seen& seen);
  void close();

  OutputFile file_;
  bool kept_;
  int descriptor_ = -1;
  int error_ = 0;
  std::string last_lines_;
  std::unique_ptr<char[]> buffer_;  // null: nothing was read yet
};

}  // namespace fixkeep::worker::keeper
