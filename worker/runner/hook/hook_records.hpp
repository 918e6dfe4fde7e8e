// A worker records what it has started through a hook in files, one for each object, so that its
// next run knows what is its own, where it is, and how to end it.
//
// Fault model: the worker is killed at any moment: a file is there whole or not at all. A machine
// that loses power may lose the newest of them, since no start waits for a disk; what they named
// goes on then, and is left alone. Thread rule: one owner. Bounds: a file of a few kilobytes for
// each object. Errors: in words; a file that is damaged is no record.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/wire/room_place.hpp"

namespace fixkeep::worker {

// The commands that end and list an object, as its start knew them.
struct HookRecord {
  std::vector<std::string> stop;
  std::vector<std::string> list;
  std::vector<std::string> environment;
  std::chrono::milliseconds limit{};
  std::optional<wire::RoomPlace> place;  // nothing: its start has not answered

  friend bool operator==(const HookRecord&, const HookRecord&) = default;
};

[[nodiscard]] std::string to_text(const HookRecord& record);
[[nodiscard]] std::optional<HookRecord> to_hook_record(std::string_view text);

class HookRecords {
 public:
  explicit HookRecords(std::string folder) : folder_(std::move(folder)) {}

  // Makes the folder if need be, and reads what is there. Not empty: why it cannot.
  [[nodiscard]] std::string open(std::map<std::string, HookRecord, std::less<>>& found) const;
  // Replaces what was there. Not empty: why it could not be written.
  [[nodiscard]] std::string write(const std::string& object, const HookRecord& record) const;
  void remove(const std::string& object) const;

 private:
  std::string folder_;
};

}  // namespace fixkeep::worker
