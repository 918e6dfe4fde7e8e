#include "common/process/program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace fixkeep::process {
namespace {

std::string why_not_executable(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return std::strerror(errno);
  if (S_ISDIR(file.st_mode)) return "is a folder";
  if (!S_ISREG(file.st_mode)) return "is no regular file";
  return ::access(path.c_str(), X_OK) == 0 ? "" : std::strerror(errno);
}

}  // namespace

FoundProgram find_program(const std::string& name, const std::vector<std::string>& folders) {
  if (name.empty()) return {{}, "it has no name"};
  if (name.find('/') != std::string::npos) {
    auto problem = why_not_executable(name);
    return {problem.empty() ? name : "", std::move(problem)};
  }
  std::string first_problem;
  for (const std::string& folder : folders) {
    std::string path = folder + "/" + name;
    const auto problem = why_not_executable(path);
    if (problem.empty()) return {std::move(path), {}};
    // If a file exists but cannot be executed, stores the reason. The first reason is reported.
    if (first_problem.empty() && ::access(path.c_str(), F_OK) == 0) {
      first_problem = path + ": " + problem;
    }
  }
  return {{}, first_problem.empty() ? "not in PATH" : first_problem};
}

std::vector<std::string> program_folders() {
  std::vector<std::string> folders;
  std::string self(4096, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", self.data(), self.size());
  if (length > 0) {
    self.resize(static_cast<std::size_t>(length));
    folders.push_back(self.substr(0, self.rfind('/')));
  }
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable;
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const auto folder = rest.substr(0, colon);
    if (!folder.empty()) folders.emplace_back(folder);
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return folders;
}

}  // namespace fixkeep::process
