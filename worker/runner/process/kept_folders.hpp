// The rooms that have ended and whose own folder was kept: see Launch::keep_folder.
//
// Invariant: at most `kept` of them are there, those of earlier runs of the worker included; the
//            oldest ones are removed.
// Thread rule: one owner. A world of gigabytes takes seconds to remove, so that is done by a thread
// that does nothing else. Bounds: `kept`, and what is being removed; the end of the object waits
// for the folder at which the thread is. Errors: what cannot be removed is told once and stays.
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

  // Finds those of earlier runs. A room whose keeper listens still lives, and is left alone.
  void find();
  // The room has ended. Nothing happens if nothing of it was kept. `goes`: what is there is
  // removed.
  void keep(const std::string& name, bool goes = false);
  // Returns when all that is beyond the bound is gone.
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
