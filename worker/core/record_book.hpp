// RecordBook collects the records of each batch for the worker's next run.
//
// Thread rule: one owner. Bounds: the changes since take(). Errors: none.
#pragma once

#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "worker/core/memory.hpp"
#include "worker/core/room.hpp"

namespace fixkeep::worker {

class RecordBook {
 public:
  explicit RecordBook(bool keeps) : keeps_(keeps) {}

  [[nodiscard]] bool keeps() const { return keeps_; }
  void add(Record&& record) {
    if (keeps_) records_.push_back(std::move(record));
  }
  void add_numbers(const NumbersRecord& numbers) {
    if (numbers != numbers_) add(numbers);
    numbers_ = numbers;
  }
  [[nodiscard]] Records take() { return std::exchange(records_, {}); }

  // --- rooms that add records at the end of the batch
  void seats_change(Room& room) {
    if (keeps_ && !std::exchange(room.seats_changed, true)) seats_.push_back(room.number);
  }
  void room_changes(RoomNumber room) {  // a change that is no news for masters
    if (keeps_) rooms_.push_back(room);
  }
  [[nodiscard]] std::vector<RoomNumber> take_seats() { return std::exchange(seats_, {}); }
  [[nodiscard]] std::vector<RoomNumber> take_rooms() { return std::exchange(rooms_, {}); }

 private:
  bool keeps_;
  Records records_;
  NumbersRecord numbers_;
  std::vector<RoomNumber> seats_;
  std::vector<RoomNumber> rooms_;
};

}  // namespace fixkeep::worker
