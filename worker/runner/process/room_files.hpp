// A room's files are kept or removed here when it has ended.
//
// Thread rule: free functions. Bounds: none. Errors: returned, with a sentence.
#pragma once

#include <string>

#include "worker/keeper/room_files.hpp"

namespace fixkeep::worker {

// The folder of all rooms. The text says why it cannot be made; empty: it is there.
[[nodiscard]] std::string make_rooms_folder(const std::string& folder);
// All but what the game has left in its own folder and is to be kept.
void remove_room_files(const RoomFiles& files);

}  // namespace fixkeep::worker
