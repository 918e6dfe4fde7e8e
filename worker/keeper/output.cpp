#include "worker/keeper/output.hpp"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker::keeper {
namespace {

constexpr int pipe_bytes = 1 << 20;
constexpr std::size_t buffer_bytes = 32768;  // half of the smallest file, as OutputFile requires
constexpr int reads_at_the_end = 64;         // limit of reads of the output that the kernel holds

// Opens both ends of a pseudo-terminal: the keeper's and the game's. It echoes and translates
// nothing.
bool open_terminal(std::array<int, 2>& ends) {
  ends[0] = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ends[0] < 0) return false;
  std::array<char, 64> name{};
  if (::grantpt(ends[0]) == 0 && ::unlockpt(ends[0]) == 0 &&
      ::ptsname_r(ends[0], name.data(), name.size()) == 0) {
    ends[1] = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  }
  termios settings{};
  if (ends[1] >= 0 && ::tcgetattr(ends[1], &settings) == 0) {
    ::cfmakeraw(&settings);
    ::tcsetattr(ends[1], TCSANOW, &settings);
    return true;
  }
  ::close(ends[0]);
  return false;
}

}  // namespace

Output::Output(std::string path, std::uint32_t file_bytes)
    : file_(path, file_bytes), kept_(!path.empty()) {}

Output::~Output() {
  close();
}

int Output::open(bool terminal) {
  std::array<int, 2> ends{-1, -1};
  if (terminal) {
    if (!open_terminal(ends)) return -1;
  } else {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return -1;
    ::fcntl(ends[0], F_SETPIPE_SZ, pipe_bytes);  // if this fails, the pipe keeps its size
  }
  // Makes only the keeper's end non-blocking. The game's end stays blocking, as games expect.
  ::fcntl(ends[0], F_SETFL, ::fcntl(ends[0], F_GETFL) | O_NONBLOCK);
  descriptor_ = ends[0];
  return ends[1];
}

void Output::read(const Seen& seen) {
  if (!read_some(seen) && errno != EAGAIN && errno != EINTR) close();
}

void Output::drain(const Seen& seen) {
  for (int reads = 0; descriptor_ >= 0 && reads < reads_at_the_end && read_some(seen); ++reads) {
    continue;
  }
  close();
}

// Reads once. Returns false at the end, or if there is no output now (errno EAGAIN or EINTR).
bool Output::read_some(const Seen& seen) {
  // The buffer is not cleared. Otherwise all its memory would be in use from now on: most of the
  // memory of a keeper, although most games seldom write.
  if (!buffer_) buffer_ = std::make_unique_for_overwrite<char[]>(buffer_bytes);
  const ssize_t count = ::read(descriptor_, buffer_.get(), buffer_bytes);
  if (count <= 0) {
    if (count == 0) errno = EPIPE;
    return false;
  }
  const std::string_view bytes{buffer_.get(), static_cast<std::size_t>(count)};
  last_lines_ += bytes.substr(bytes.size() - std::min(bytes.size(), last_line_bytes));
  if (last_lines_.size() > last_line_bytes) {
    last_lines_.erase(0, last_lines_.size() - last_line_bytes);
  }
  if (kept_) {
    if (const auto kept = file_.append(bytes, OutputClock::now()); !kept) {
      error_ = kept.error().value();
    }
  }
  seen(bytes);
  return true;
}

int Output::take_error() {
  return std::exchange(error_, 0);
}

void Output::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

}  // namespace fixkeep::worker::keeper
