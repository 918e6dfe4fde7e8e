#include "master/http/view/writer.hpp"

namespace fixkeep::master {

void ViewWriter::note(DirectoryNews&& news, const Directory& directory) {
  for (auto& worker : news.workers) workers_.insert(std::move(worker));
  for (auto& room : news.rooms) rooms_.insert(std::move(room));
  if (pending() > bound_) bring_everything(directory);
}

// Fills the view anew, because too many names are pending. Forgets these names. The directory does
// not contain closed rooms, so their names are lost. To remove closed rooms all the same, removes
// all workers from the view, and adds them again with their present rooms.
void ViewWriter::bring_everything(const Directory& directory) {
  rooms_.clear();
  workers_ = shown_;
  for (const auto& [id, worker] : directory.workers()) {
    workers_.insert(id);
    for (const auto& [number, room] : worker.rooms) rooms_.insert(room.id);
  }
  again_ = shown_;
  bound_ = pending() + most_pending;
}

void ViewWriter::publish(const Directory& directory, DirectoryView::Trash& trash) {
  if (current()) return;
  DirectoryView::Update update;
  std::size_t rows = 0;
  auto worker = workers_.begin();
  for (; worker != workers_.end() && rows < rows_a_turn; ++worker, ++rows) {
    const Worker* known = directory.find(*worker);
    if (known == nullptr || again_.contains(*worker)) update.workers_gone.push_back(*worker);
    if (known != nullptr) update.workers.push_back(row_of(*known));
  }
  auto room = rooms_.begin();
  for (; room != rooms_.end() && rows < rows_a_turn; ++room, ++rows) {
    if (const Room* known = directory.find(*room)) {
      update.rooms.push_back(row_of(*known));
    } else {
      update.rooms_gone.push_back(*room);
    }
  }
  if (!view_.apply(update, trash)) {
    ++put_off_;
    return;
  }
  for (auto done = workers_.begin(); done != worker; ++done) {
    again_.erase(*done);
    if (directory.find(*done) != nullptr) {
      shown_.insert(*done);
    } else {
      shown_.erase(*done);
    }
  }
  workers_.erase(workers_.begin(), worker);
  rooms_.erase(rooms_.begin(), room);
}

}  // namespace fixkeep::master
