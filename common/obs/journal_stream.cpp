#include "common/obs/journal_stream.hpp"

#include <sys/stat.h>
#include <systemd/sd-daemon.h>

#include <charconv>
#include <optional>

namespace fixkeep::obs {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace

bool is_journal(std::string_view journal_stream, int descriptor) {
  const auto colon = journal_stream.find(':');
  if (colon == std::string_view::npos) return false;
  const auto device = whole_number(journal_stream.substr(0, colon));
  const auto inode = whole_number(journal_stream.substr(colon + 1));
  struct stat found {};
  if (!device || !inode || ::fstat(descriptor, &found) != 0) return false;
  return found.st_dev == *device && found.st_ino == *inode;
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
