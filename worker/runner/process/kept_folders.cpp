#include "worker/runner/process/kept_folders.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <system_error>
#include <vector>

#include "common/obs/log.hpp"
#include "worker/keeper/place.hpp"
#include "worker/runner/process/room_files.hpp"

namespace fixkeep::worker {

namespace fs = std::filesystem;

namespace {

void remove_whole(const std::string& folder) {
  if (keeper::remove_place(folder)) return;
  obs::log_warning("cannot remove the kept folder of a room", {{"folder", folder}});
}

}  // namespace

void KeptFolders::find() {
  std::vector<std::pair<fs::file_time_type, std::string>> found;
  std::error_code error;
  for (fs::directory_iterator next{rooms_, error}, end; !error && next != end;
       next.increment(error)) {
    std::error_code gone;
    const auto time = next->last_write_time(gone);
    const bool lives = fs::exists(RoomFiles{next->path().string()}.control(), gone);
    if (!gone && !lives) found.emplace_back(time, next->path().filename().string());
  }
  std::sort(found.begin(), found.end());
  names_.clear();
  for (auto& [time, name] : found) names_.push_back(std::move(name));
  remove_oldest();
}

void KeptFolders::keep(const std::string& name, bool goes) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(rooms_ + "/" + name, error))) return;
  if (goes) return remove(name);
  names_.push_back(name);
  remove_oldest();
}

void KeptFolders::remove(const std::string& name) {
  if (!remover_) remover_ = std::make_unique<boost::asio::thread_pool>(1);
  boost::asio::post(*remover_, [path = rooms_ + "/" + name] { remove_whole(path); });
}

void KeptFolders::remove_oldest() {
  while (names_.size() > kept_) {
    remove(names_.front());
    names_.pop_front();
  }
}

void KeptFolders::wait_for_removals() {
  if (!remover_) return;
  remover_->join();
  remover_.reset();
}

// The next run finds the folders that the thread has not begun to remove.
KeptFolders::~KeptFolders() {
  if (!remover_) return;
  remover_->stop();
  remover_->join();
}

}  // namespace fixkeep::worker
