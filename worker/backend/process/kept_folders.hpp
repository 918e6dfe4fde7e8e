// The rooms that have ended and whose own folder was kept: see Launch::keep_folder.
//
// Invariant: at most `kept` of them are there, those of earlier runs of the worker included; the
//            oldest ones are removed.
// Thread rule: one owner. Bounds: `kept`; the end of a room removes one folder, which takes as long
// as its file system needs. Errors: what cannot be removed is told once and stays.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace fixkeep::worker {

class KeptFolders {
 public:
  // `rooms`: the folder with a folder for each room.
  KeptFolders(std::string rooms, std::uint32_t kept) : rooms_(std::move(rooms)), kept_(kept) {}

  // Finds those of earlier runs. A room whose keeper listens still lives, and is left alone.
  void find();
  // The room has ended. Nothing happens if nothing of it was kept.
  void keep(const std::string& name);

 private:
  void remove_oldest();

  std::string rooms_;
  std::uint32_t kept_;
  std::deque<std::string> names_;  // the oldest first
};

}  // namespace fixkeep::worker
