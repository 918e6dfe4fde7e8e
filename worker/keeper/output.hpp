// Reads a game's output from a pipe or a pseudo-terminal as fast as it comes. A game thus never
// waits for a worker or a full disk. A file of limited size stores the output. The last lines are
// also kept in memory.
//
// If the game wrote to files directly, they would have no limit, and a full disk would fail the
// writes. Thread rule: one owner. Bounds: see OutputFile; `last_line_bytes` in memory. Errors: if
// the disk fails, output is lost, but the game continues.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "worker/keeper/output_file.hpp"

namespace fixkeep::worker::keeper {

class Output {
 public:
  // An empty path means no file.
  Output(std::string path, std::uint32_t file_bytes);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Opens a pipe or a pseudo-terminal, and returns the game's end. Close this end after the game
  // has inherited it. -1: failed, see errno.
  [[nodiscard]] int open(bool terminal);

  [[nodiscard]] int descriptor() const { return descriptor_; }  // readable end; -1: closed
  using Seen = std::function<void(std::string_view bytes)>;
  // Reads only once, so that other sources get their turn. `seen` gets all bytes.
  void read(const Seen& seen);
  // Reads the rest after the game has ended, and closes the output.
  void drain(const Seen& seen);

  [[nodiscard]] const std::string& last_lines() const { return last_lines_; }
  // Returns the last disk error since the previous call; 0: no error.
  [[nodiscard]] int take_error();

 private:
  bool read_some(const Seen& seen);
  void close();

  OutputFile file_;
  bool kept_;
  int descriptor_ = -1;
  int error_ = 0;
  std::string last_lines_;
  std::unique_ptr<char[]> buffer_;  // null until the first read
};

}  // namespace fixkeep::worker::keeper
