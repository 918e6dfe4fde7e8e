#include "worker/runner/process/room_note.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "common/process/process_group.hpp"

namespace fixkeep::worker {
namespace {

bool write_at(int file, std::uint64_t place, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
    place += static_cast<std::uint64_t>(count);
  }
  return true;
}

}  // namespace

Result<RoomNote> RoomNote::make(std::string_view text) {
  RoomNote note{process::Descriptor{::memfd_create("fixkeep-note", MFD_CLOEXEC)}};
  if (!note.file_) return process::last_error();
  if (const auto written = note.write(text); !written) return written.error();
  return note;
}

RoomNote::RoomNote(process::Descriptor file) : file_(std::move(file)) {
  if (::pread(file_.get(), &head_, sizeof head_, 0) != sizeof head_) head_ = {};
}

Result<void> RoomNote::write(std::string_view text) {
  const bool fits_before = head_.begin >= sizeof(Head) + text.size();
  const Head next{
      .begin = fits_before || head_.begin == 0 ? sizeof(Head) : head_.begin + head_.size,
      .size = text.size()};
  const std::string_view head{reinterpret_cast<const char*>(&next), sizeof next};
  if (!write_at(file_.get(), next.begin, text) || !write_at(file_.get(), 0, head)) {
    return process::last_error();
  }
  head_ = next;
  return {};
}

std::optional<std::string> RoomNote::read() const {
  struct stat found {};
  if (head_.begin < sizeof(Head) || head_.size > longest) return std::nullopt;
  if (::fstat(file_.get(), &found) != 0) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(found.st_size);
  if (head_.begin > size || size - head_.begin < head_.size) return std::nullopt;
  std::string text(head_.size, '\0');
  const ssize_t count =
      ::pread(file_.get(), text.data(), text.size(), static_cast<off_t>(head_.begin));
  if (count != static_cast<ssize_t>(text.size())) return std::nullopt;
  return text;
}

}  // namespace fixkeep::worker
