// The output of a game is taken from a pipe or a pseudo-terminal as fast as it comes: a game waits
// neither for a worker nor for a full disk. A file keeps it within bounds. Memory keeps its end.
//
// The alternative is files as the game's own descriptors. They would have no bound and a full disk
// would fail the game's writes. Thread rule: one owner. Bounds: see OutputFile; `last_line_bytes`
// in memory. Errors of the disk cost output and never the game.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "worker/keeper/output_file.hpp"

namespace fixkeep::worker::keeper {

class Output {
 public:
  // An empty path: no file.
  Output(std::string path, std::uint32_t file_bytes);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // The game's end. Close it once the game has it. -1: failed, see errno.
  [[nodiscard]] int open(bool terminal);

  [[nodiscard]] int descriptor() const { return descriptor_; }  // readable end; -1: closed
  using Seen = std::function<void(std::string_view bytes)>;
  // Reads once: others get their turn. `seen` gets all bytes.
  void read(const Seen& seen);
  // Takes the rest after the game has ended and closes the output.
  void drain(const Seen& seen);

  [[nodiscard]] const std::string& last_lines() const { return last_lines_; }
  // The last error of the disk since the previous call; 0: no error.
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
