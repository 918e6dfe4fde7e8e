// Keeps or removes the files of an ended room.
//
// Thread rule: free functions. Bounds: none. Errors: returned as a sentence.
#pragma once

#include <string>

#include "worker/keeper/room_files.hpp"

namespace fixkeep::worker {

// Makes the folder of all rooms. Returns the error; empty: none.
[[nodiscard]] std::string make_rooms_folder(const std::string& folder);
// Removes a room's files, except the kept part of the game's own folder.
void remove_room_files(const RoomFiles& files);

}  // namespace fixkeep::worker
