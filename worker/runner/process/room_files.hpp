// Keeps or removes a room's files when it has ended.
//
// Thread rule: free functions. Bounds: none. Errors: returned with a sentence.
#pragma once

#include <string>

#include "worker/keeper/room_files.hpp"

namespace fixkeep::worker {

// Makes the folder of all rooms. Returns why it cannot; empty: it is there.
[[nodiscard]] std::string make_rooms_folder(const std::string& folder);
// Removes all except the kept part of the game's own folder.
void remove_room_files(const RoomFiles& files);

}  // namespace fixkeep::worker
