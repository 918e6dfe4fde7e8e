#include "common/obs/journal_stream.hpp"

#include <sys/stat.h>
#include <systemd/sd-daemon.h>

#include <fmt/format.h>

namespace fixkeep::obs {
bool is_journal(std::string_view journal_stream, int descriptor) {
  struct stat found {};
  return ::fstat(descriptor, &found) == 0 &&
         journal_stream == fmt::format("{}:{}", found.st_dev, found.st_ino);
}

std::string journal_prefix(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return SD_DEBUG;
    case LogLevel::info: return SD_INFO;
    case LogLevel::warning: return SD_WARNING;
    case LogLevel::error: return SD_ERR;
  }
  return {};
}

}  // namespace fixkeep::obs
