// Writes the lines of the log on a thread of its own, so that the code that logs never waits for a
// reader of the log.
//
// spdlog's asynchronous logger, the alternative, waits at the end for a thread that may be stuck in
// a pipe that nobody reads, for ever; and an end on SIGTERM must not depend on the reader of a log.
// So its synchronous one writes into this.
// Invariants: 1. write() never waits for a reader or a disk.
//             2. lines that are lost are counted, and the next line that can be written is preceded
//                by one that says how many.
//             3. stop() returns within its limits also if the thread is stuck; then the thread is
//                left behind, and owns what it touches.
// Thread rule: any thread. Bounds: `lines_most` lines and `bytes_most` bytes wait, the oldest ones
// give way. Errors: those of opening the file; a line that cannot be written is lost, and counted.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "common/base/result.hpp"

namespace fixkeep::obs {

class LogWriter {
 public:
  static constexpr std::size_t lines_most = 8192;
  static constexpr std::size_t bytes_most = std::size_t{4} << 20U;

  // Makes the line, without its newline, that says how many lines were lost.
  using LossLine = std::function<std::string(std::uint64_t lost)>;

  // `file` is appended to; empty: standard error.
  [[nodiscard]] static Result<std::unique_ptr<LogWriter>> start(const std::string& file,
                                                                LossLine loss_line);
  ~LogWriter();  // as stop()
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  void write(std::string_view line);  // without its newline

  // Goes on in `file`, which is made if it is not there. After an error it goes on where it was.
  [[nodiscard]] Result<void> reopen(const std::string& file);

  // Writes what is waiting for as long as that moves on: gives up after `patience` without any
  // progress, and after ten times as long in any case.
  void stop(std::chrono::milliseconds patience = std::chrono::milliseconds{500});

 private:
  struct State;
  explicit LogWriter(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
  std::thread thread_;
};

// Writes the line to standard error at once, or not at all if that would have to wait.
void write_without_waiting(std::string_view line);

}  // namespace fixkeep::obs
