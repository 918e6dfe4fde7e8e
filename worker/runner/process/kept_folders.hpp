// The folders of ended rooms that are kept (GameProgram::keep_folder).
//
// Invariant: at most `kept` folders exist, including folders of earlier runs. The oldest are
// removed.
// Thread rule: one owner. It takes seconds to remove a game's world of gigabytes, so a separate
// thread removes the folders. Bounds: `kept` and the folders being removed. The destructor waits
// until the thread has removed its present folder. Errors: if a folder cannot be removed, it
// remains, with one warning.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>

namespace fixkeep::worker {

class KeptFolders {
 public:
  // `rooms` is the folder that contains a folder for each room.
  KeptFolders(std::string rooms, std::uint32_t kept) : rooms_(std::move(rooms)), kept_(kept) {}
  ~KeptFolders();
  KeptFolders(const KeptFolders&) = delete;
  KeptFolders& operator=(const KeptFolders&) = delete;

  // Finds the folders of earlier runs. If a keeper listens in a folder, its room runs, and the
  // folder is left alone.
  void find();
  // Keeps the folder of an ended room, if there is one. Removes the oldest folder beyond the bound.
  // If `goes` is true, removes the ended room's folder instead.
  void keep(const std::string& name, bool goes = false);
  // Waits until all folders beyond the bound are gone.
  void wait_for_removals();

 private:
  void remove(const std::string& name);
  void remove_oldest();

  std::string rooms_;
  std::uint32_t kept_;
  std::deque<std::string> names_;                      // the oldest first
  std::unique_ptr<boost::asio::thread_pool> remover_;  // null: nothing was removed yet
};

}  // namespace fixkeep::worker
