// The own folders of ended rooms that were kept (Launch::keep_folder).
//
// Invariant: at most `kept` folders are there, including those of earlier runs. The oldest are
//            removed.
// Thread rule: one owner. A world of gigabytes takes seconds to remove, so a thread of its own does
// that. Bounds: `kept` and the folders being removed. The destructor waits for the present folder
// of the thread. Errors: a folder that cannot be removed is told once and stays.
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
  // `rooms`: the folder with a folder for each room.
  KeptFolders(std::string rooms, std::uint32_t kept) : rooms_(std::move(rooms)), kept_(kept) {}
  ~KeptFolders();
  KeptFolders(const KeptFolders&) = delete;
  KeptFolders& operator=(const KeptFolders&) = delete;

  // Finds the folders of earlier runs. A room with a listening keeper still lives and is left
  // alone.
  void find();
  // The room has ended. Nothing happens if it kept nothing. `goes`: removes its folder.
  void keep(const std::string& name, bool goes = false);
  // Returns when all folders beyond the bound are gone.
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
