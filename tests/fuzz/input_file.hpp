// A file that is nowhere on a disk, for what reads files: it is gone with the object.
// Thread rule: one owner. Bounds: none of its own. Errors: asserted.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "common/base/assert.hpp"

namespace fixkeep::fuzz {

class InputFile {
 public:
  explicit InputFile(std::string_view bytes) : file_(::memfd_create("input", MFD_CLOEXEC)) {
    FIXKEEP_ASSERT(file_ >= 0, "no file in memory");
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    FIXKEEP_ASSERT(written == static_cast<ssize_t>(bytes.size()), "a file in memory is short");
  }
  ~InputFile() { ::close(file_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace fixkeep::fuzz
