#include "worker/backend/process/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view extension = ".log";
constexpr std::string_view moved = ".1";
constexpr mode_t file_mode = 0640;
constexpr mode_t folder_mode = 0750;
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
  written_ = true;
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

OutputFolder::OutputFolder(std::string folder, const std::string& prefix, std::uint32_t kept)
    : folder_(std::move(folder)), kept_(kept) {
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
  const fs::path parent = fs::path{folder_}.parent_path();
  std::error_code error;
  if (!parent.empty()) fs::create_directories(parent, error);
  if (::mkdir(folder_.c_str(), folder_mode) != 0 && errno != EEXIST) return system_error(errno);
  // In a folder to which every user may write, such as /tmp, another user may have been there
  // first.
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

std::string OutputFolder::path_of(const std::string& name) const {
  return folder_ + "/" + name + std::string{extension};
}

void OutputFolder::keep(const std::string& name) {
  ended_.push_back(name);
  remove_oldest();
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
