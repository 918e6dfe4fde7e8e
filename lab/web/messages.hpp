// The messages of a world, and the records of its events.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "lock/core/messages.hpp"

namespace fixkeep::lab_web {

inline constexpr int the_worker = 0;  // masters have the numbers from 1
[[nodiscard]] constexpr MasterId master_id(int id) {
  return MasterId{static_cast<std::uint16_t>(id)};
}

// Messages between a master and the worker, and the end of a link.
struct Prepare {
  FencingToken token;
};
struct Promise {
  FencingToken token;  // the requested token; if the worker refuses, the highest token
  bool promised = false;
};
struct Write {
  FencingToken token;
};
struct Answer {
  FencingToken token;
  bool accepted = false;
};
struct Close {};
using Body = std::variant<lock::MeshMessage, Prepare, Promise, Write, Answer, Close>;

struct Message {
  std::uint64_t id = 0;
  int from = 0;
  int to = 0;
  TimePoint sent;
  TimePoint arrives;
  std::string what;  // "MyLock", "YourLock", "Hello", …
  std::uint64_t round = 0;
  FencingToken token;
};

struct Parcel {
  Message message;
  Body body;
};

enum class Life : std::uint8_t { running, stopped, killed };

// One event. The page has a sentence for each `what`.
struct Record {
  std::uint64_t step = 0;
  TimePoint at;
  std::string_view what;
  int node = 0;
  int peer = -1;
  FencingToken token;
  std::optional<Message> message;
};

}  // namespace fixkeep::lab_web
