#include "worker/runner/process/output_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "common/process/folder.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view extension = ".log";
constexpr std::string_view moved = ".1";
constexpr mode_t output_folder_mode = 0700;

boost::system::error_code system_error(int number) {
  return {number, boost::system::system_category()};
}

std::optional<std::string> end_of(const std::string& path, std::size_t most) {
  std::ifstream file{path, std::ios::binary | std::ios::ate};
  if (!file) return std::nullopt;
  const auto size = static_cast<std::size_t>(file.tellg());
  const auto wanted = std::min(size, most);
  file.seekg(static_cast<std::streamoff>(size - wanted));
  std::string text(wanted, '\0');
  file.read(text.data(), static_cast<std::streamsize>(wanted));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace

OutputFolder::OutputFolder(std::string folder, const std::string& prefix, std::uint32_t kept)
    : folder_(std::move(folder)), prefix_(prefix), kept_(kept) {
  std::map<std::string, fs::file_time_type> found;
  std::error_code error;
  for (fs::directory_iterator next{folder_, error}, end; !error && next != end;
       next.increment(error)) {
    auto name = next->path().filename().string();
    if (name.ends_with(moved)) name.resize(name.size() - moved.size());
    std::error_code gone;
    const auto time = next->last_write_time(gone);
    if (gone || !name.starts_with(prefix) || !name.ends_with(extension)) continue;
    name.resize(name.size() - extension.size());
    auto& latest = found.try_emplace(std::move(name), time).first->second;
    latest = std::max(latest, time);
  }
  std::vector<std::pair<fs::file_time_type, std::string>> by_age;
  by_age.reserve(found.size());
  for (const auto& [name, time] : found) by_age.emplace_back(time, name);
  std::sort(by_age.begin(), by_age.end());
  for (auto& [time, name] : by_age) ended_.push_back(std::move(name));
  remove_oldest();
}

Result<void> OutputFolder::make() const {
  const auto led_elsewhere = [this] { return !process::whose_link_leads_there(folder_).empty(); };
  if (led_elsewhere()) return system_error(EPERM);
  const fs::path parent = fs::path{folder_}.parent_path();
  std::error_code error;
  if (!parent.empty()) fs::create_directories(parent, error);
  if (::mkdir(folder_.c_str(), output_folder_mode) != 0 && errno != EEXIST)
    return system_error(errno);
  if (led_elsewhere()) return system_error(EPERM);  // another program has just made a link there
  // In a folder that is writable for all users (such as /tmp), another user may have made this
  // folder first.
  struct stat above {};
  const bool shared =
      ::stat((parent / "..").c_str(), &above) == 0 && (above.st_mode & S_ISVTX) != 0;
  struct stat made {};
  for (const auto& path : {fs::path{folder_}, shared ? parent : fs::path{folder_}}) {
    if (::stat(path.c_str(), &made) != 0) return system_error(errno);
    if (!S_ISDIR(made.st_mode)) return system_error(ENOTDIR);
    if (made.st_uid != ::geteuid()) return system_error(EPERM);
  }
  return {};
}

Result<void> OutputFolder::make_once() {
  if (made_) return {};
  auto made = make();
  made_ = made.has_value();
  return made;
}

std::string OutputFolder::path_of(const std::string& name) const {
  return folder_ + "/" + name + std::string{extension};
}

void OutputFolder::keep(const std::string& name) {
  if (::access(path_of(name).c_str(), F_OK) != 0) return;
  ended_.push_back(name);
  remove_oldest();
}

std::optional<std::string> OutputFolder::last(const std::string& name, std::size_t most) const {
  if (name.find('/') != std::string::npos || !name.starts_with(prefix_)) return std::nullopt;
  auto end = end_of(path_of(name), most);
  if (!end) return std::nullopt;
  if (end->size() == most) return end;
  const auto before = end_of(path_of(name) + std::string{moved}, most - end->size());
  return before.value_or("") + *end;
}

void OutputFolder::remove_oldest() {
  while (ended_.size() > kept_) {
    const auto path = path_of(ended_.front());
    ::unlink(path.c_str());
    ::unlink((path + std::string{moved}).c_str());
    ended_.pop_front();
  }
}

}  // namespace fixkeep::worker
