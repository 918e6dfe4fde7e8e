#include "worker/runner/process/unified_cgroup.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "worker/keeper/cgroup.hpp"

namespace fixkeep::worker {
namespace {

constexpr mode_t leaf_mode = 0755;

bool has_word(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(" \n"), text.size());
    if (text.substr(0, end) == word) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

}  // namespace

UnifiedCgroup::UnifiedCgroup(std::string own, Keepers keepers)
    : folder_(std::move(own)), keepers_(std::move(keepers)) {
  const std::string end = std::string{"/"} + leaf;
  if (!folder_.ends_with(end)) return;
  folder_.erase(folder_.size() - end.size());
  began_in_leaf_ = true;
}

std::string UnifiedCgroup::enable(const std::string& controller) const {
  const std::string file = folder_ + "/cgroup.subtree_control";
  if (has_word(keeper::read_control(file), controller)) return {};
  if (!has_word(keeper::read_control(folder_ + "/cgroup.controllers"), controller)) {
    return folder_ + " has no controller \"" + controller +
           "\" (a unit of systemd needs Delegate=yes)";
  }
  int error = keeper::write_control(file, "+" + controller);
  if (error == EBUSY && move_to_leaf()) {
    error = keeper::write_control(file, "+" + controller);
    if (error != 0) move_back();
  }
  return error == 0 ? "" : file + ": " + std::strerror(error);
}

bool UnifiedCgroup::move_to(const std::string& folder) const {
  const std::string processes = folder + "/cgroup.procs";
  if (keeper::write_control(processes, "0") != 0) return false;
  // Errors are ignored, because a keeper that has ended need not move.
  for (const pid_t process : keepers_()) {
    (void)keeper::write_control(processes, std::to_string(process));
  }
  return true;
}

bool UnifiedCgroup::move_to_leaf() const {
  const std::string folder = folder_ + "/" + leaf;
  return (::mkdir(folder.c_str(), leaf_mode) == 0 || errno == EEXIST) && move_to(folder);
}

void UnifiedCgroup::move_back() const {
  if (began_in_leaf_) return;
  (void)move_to(folder_);
  ::rmdir((folder_ + "/" + leaf).c_str());
}

}  // namespace fixkeep::worker
