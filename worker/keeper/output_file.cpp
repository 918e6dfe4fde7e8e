#include "worker/keeper/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace fixkeep::worker::keeper {
namespace {

constexpr std::string_view moved = ".1";
constexpr mode_t file_mode = 0600;
constexpr auto share_of_time = std::chrono::seconds{1};

boost::system::error_code system_error(int number) {
  return {number, boost::system::system_category()};
}

}  // namespace

Result<void> OutputFile::append(std::string_view bytes, OutputClock::time_point now) {
  if (now - second_ >= share_of_time) {
    second_ = now;
    this_second_ = 0;
  }
  if (this_second_ + bytes.size() > most_) {
    left_out_ += bytes.size();
    return {};
  }
  this_second_ += bytes.size();
  if (left_out_ > 0) {
    const auto note =
        "\n[" + std::to_string(std::exchange(left_out_, 0)) + " bytes left out: too fast]\n";
    if (const auto noted = write(note); !noted) return noted.error();
  }
  return write(bytes);
}

Result<void> OutputFile::write(std::string_view bytes) {
  if (size_ > 0 && size_ + bytes.size() > most_) {
    if (::rename(path_.c_str(), (path_ + std::string{moved}).c_str()) != 0)
      return system_error(errno);
    size_ = 0;
  }
  const int file =
      ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, file_mode);
  if (file < 0) return system_error(errno);
  int problem = 0;
  while (!bytes.empty() && problem == 0) {
    const ssize_t done = ::write(file, bytes.data(), bytes.size());
    if (done >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(done));
      size_ += static_cast<std::uint64_t>(done);
    } else if (errno != EINTR) {
      problem = errno;
    }
  }
  ::close(file);
  if (problem != 0) return system_error(problem);
  return {};
}

}  // namespace fixkeep::worker::keeper
