#include "common/process/proc.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "common/process/descriptor.hpp"

namespace fixkeep::process {
namespace {

struct Status {
  char state = 'Z';
  pid_t parent = 0;
};

// Reads until the end of the file, or until the process ends. A std::ifstream would throw if the
// process ends.
std::string read(const std::string& path) {
  std::string text;
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t count = ::read(file.get(), part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

// The names in a folder. Some are missing if the process ends meanwhile.
std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator next{path, error}, end; !error && next != end;
       next.increment(error)) {
    names.push_back(next->path().filename().string());
  }
  return names;
}

std::optional<Status> status_of(pid_t pid) {
  const std::string text = read("/proc/" + std::to_string(pid) + "/stat");
  // The form is "pid (name) state parent …"; the name may contain any character.
  const auto name_end = text.rfind(") ");
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest{text.substr(name_end + 2)};
  Status status;
  if (!(rest >> status.state >> status.parent)) return std::nullopt;
  return status;
}

}  // namespace

std::vector<pid_t> all() {
  std::vector<pid_t> processes;
  for (const auto& name : names_in("/proc")) {
    pid_t pid = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (bad == std::errc{} && end == name.data() + name.size()) processes.push_back(pid);
  }
  return processes;
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const pid_t pid : all()) {
    const auto status = status_of(pid);
    if (status && status->parent == parent) children.push_back(pid);
  }
  return children;
}

std::vector<pid_t> descendants_of(pid_t ancestor) {
  std::vector<pid_t> found{ancestor};
  for (std::size_t next = 0; next < found.size(); ++next) {
    // Each thread has its own list of children.
    const auto threads = "/proc/" + std::to_string(found[next]) + "/task/";
    for (const auto& thread : names_in(threads)) {
      std::istringstream children{read(threads + thread + "/children")};
      for (pid_t child = 0; children >> child;) found.push_back(child);
    }
  }
  found.erase(found.begin());
  return found;
}

bool alive(pid_t pid) {
  const auto status = status_of(pid);
  return status && status->state != 'Z' && status->state != 'X';
}

bool stopped(pid_t pid) {
  const auto status = status_of(pid);
  return status && status->state == 'T';
}

std::chrono::nanoseconds waited_for_processor(const std::vector<pid_t>& processes) {
  std::int64_t most = 0;
  for (const pid_t pid : processes) {
    std::istringstream counts{read("/proc/" + std::to_string(pid) + "/schedstat")};
    std::int64_t ran = 0;
    std::int64_t waited = 0;
    counts >> ran >> waited;
    most = std::max(most, waited);
  }
  return std::chrono::nanoseconds{most};
}

std::optional<uid_t> user_of(pid_t pid) {
  const std::string text = read("/proc/" + std::to_string(pid) + "/status");
  constexpr std::string_view label = "\nUid:\t";
  const auto found = text.find(label);
  if (found == std::string::npos) return std::nullopt;
  uid_t user = 0;
  const char* const begin = text.data() + found + label.size();
  if (std::from_chars(begin, text.data() + text.size(), user).ec != std::errc{}) return {};
  return user;
}

std::string environment_of(pid_t pid, const std::string& name) {
  const std::string text = '\0' + read("/proc/" + std::to_string(pid) + "/environ");
  const std::string start = '\0' + name + '=';
  const auto found = text.find(start);
  if (found == std::string::npos) return {};
  const auto value = found + start.size();
  return text.substr(value, text.find('\0', value) - value);
}

std::size_t peak_memory(pid_t pid) {
  const std::string text = read("/proc/" + std::to_string(pid) + "/status");
  constexpr std::string_view name = "\nVmHWM:";
  const auto found = text.find(name);
  if (found == std::string::npos) return 0;
  constexpr std::size_t kibibyte = 1024;
  return std::stoul(text.substr(found + name.size())) * kibibyte;
}

void reset_peak_memory(pid_t pid) {
  std::ofstream{"/proc/" + std::to_string(pid) + "/clear_refs"} << "5";
}

}  // namespace fixkeep::process
