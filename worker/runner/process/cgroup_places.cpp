#include "worker/runner/process/cgroup_places.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "worker/keeper/cgroup.hpp"

namespace fixkeep::worker {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool has(std::string_view list, std::string_view word) {
  const auto words = split(list, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

// Replaces escapes: the kernel's paths contain, for example, "\040" for a space.
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                  (text[i + 3] - '0'));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

struct Mount {
  std::string root;    // the visible part of the hierarchy
  std::string folder;  // the mount point
  bool unified = false;
  bool writable = false;
  std::string_view controllers;  // controllers of version 1, among other options
};

// Example: "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu"
std::optional<Mount> to_mount(std::string_view line) {
  const auto words = split(line, ' ');
  const auto dash = std::find(words.begin(), words.end(), "-");
  if (words.size() < 6 || words.end() - dash < 4) return std::nullopt;
  const std::string_view type = dash[1];
  if (type != "cgroup" && type != "cgroup2") return std::nullopt;
  return Mount{.root = unescaped(words[3]),
               .folder = unescaped(words[4]),
               .unified = type == "cgroup2",
               .writable = has(words[5], "rw"),
               .controllers = dash[3]};
}

std::vector<Mount> to_mounts(std::string_view mountinfo) {
  std::vector<Mount> mounts;
  for (const auto line : split(mountinfo, '\n')) {
    if (auto mount = to_mount(line)) mounts.push_back(std::move(*mount));
  }
  // If a hierarchy is mounted twice, the writable mount comes first.
  std::stable_partition(mounts.begin(), mounts.end(),
                        [](const Mount& each) { return each.writable; });
  return mounts;
}

// Returns the folder where the mount shows this path. Nullopt: the mount does not show it.
std::optional<std::string> folder_in(const Mount& mount, const std::string& path) {
  if (path == "/.." || path.starts_with("/../")) return std::nullopt;
  const std::string root = mount.root == "/" ? "" : mount.root;
  if (!path.starts_with(root) || (path.size() > root.size() && path[root.size()] != '/')) {
    return std::nullopt;
  }
  const auto rest = path.substr(root.size());
  return mount.folder + (rest == "/" ? "" : rest);
}

}  // namespace

CgroupPlaces to_cgroup_places(std::string_view mountinfo, std::string_view own) {
  const auto mounts = to_mounts(mountinfo);
  CgroupPlaces places;
  for (const auto line : split(own, '\n')) {
    // Version 2: "0::/path". Version 1: "4:cpu,cpuacct:/path". The path may contain colons.
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const std::string path{line.substr(second + 1)};
    const auto find = [&](std::string& place, bool unified, std::string_view controller) {
      if (!unified && !has(controllers, controller)) return;
      for (const Mount& mount : mounts) {
        if (mount.unified != unified || (!unified && !has(mount.controllers, controller))) continue;
        const auto folder = folder_in(mount, path);
        if (folder && place.empty()) place = *folder;
      }
    };
    if (controllers.empty()) find(places.unified, true, {});
    find(places.memory, false, "memory");
    find(places.processes, false, "pids");
  }
  return places;
}

CgroupPlaces find_cgroup_places() {
  return to_cgroup_places(keeper::read_control("/proc/self/mountinfo"),
                          keeper::read_control("/proc/self/cgroup"));
}

}  // namespace fixkeep::worker
