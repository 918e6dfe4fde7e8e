#include "worker/runner/note_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "worker/keeper/place.hpp"

namespace fixkeep::worker {

namespace fs = std::filesystem;

void NoteFiles::begin(RoomNumber room, const std::string& name, std::string_view text) {
  files_[room] = folder_ + "/" + name;
  if (!text.empty()) note(room, text);
}

void NoteFiles::end(RoomNumber room) {
  const auto found = files_.extract(room);
  std::error_code ignored;  // if this fails, the next run deletes the note
  if (!found.empty()) fs::remove(found.mapped(), ignored);
}

void NoteFiles::forget_others() {
  std::error_code error;
  for (fs::directory_iterator next{folder_, error}, end; !error && next != end;
       next.increment(error)) {
    const std::string path = next->path().string();
    const bool is_ours = std::any_of(files_.begin(), files_.end(),
                                     [&](const auto& each) { return each.second == path; });
    std::error_code ignored;  // if this fails, the run after this run deletes the note
    if (!is_ours) fs::remove(path, ignored);
  }
}

void NoteFiles::note(RoomNumber room, std::string_view text) {
  const auto found = files_.find(room);
  if (found == files_.end()) return;
  std::error_code ignored;  // if this fails, the write fails too and returns the reason
  fs::create_directory(folder_, ignored);
  const auto written = keeper::write_whole(found->second, text);
  if (written) return;
  complaints_.tell("cannot note what a game says of itself", found->second,
                   written.error().message());
}

std::optional<std::string> NoteFiles::note_of(const std::string& name) const {
  const std::string path = folder_ + "/" + name;
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error || size > longest) return std::nullopt;
  std::ifstream file{path, std::ios::binary};
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace fixkeep::worker
