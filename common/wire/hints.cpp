#include <algorithm>

#include "common/wire/codec.hpp"
#include "common/wire/fields.hpp"

namespace fixkeep::wire {

Result<std::vector<RoomHint>> decode_hints(std::string_view bytes) {
  pb::RoomHints message;
  if (bytes.size() > limits::lock_value_bytes ||
      !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      static_cast<std::size_t>(message.hints_size()) > limits::hints) {
    return Errc::malformed_message;
  }
  std::vector<RoomHint> hints;
  for (const auto& hint : message.hints()) {
    auto& made = hints.emplace_back();
    made.room.incarnation = Incarnation{hint.incarnation()};
    made.room.number = RoomNumber{hint.number()};
    made.capacity = hint.capacity();
    made.free = hint.free();
    if (!fields::get(hint.worker(), limits::id_bytes, made.room.worker) ||
        !fields::get(hint.mode(), limits::id_bytes, made.mode) ||
        (hint.number() == 0) != hint.has_ordered() ||
        (hint.has_ordered() && !fields::get(hint.ordered(), made.ordered.emplace())) ||
        hint.capacity() == 0 || hint.capacity() > limits::capacity ||
        hint.free() > hint.capacity()) {
      return Errc::malformed_message;
    }
  }
  return hints;
}

namespace {

// The first hints, as many as fit into a lock value.
pb::RoomHints fitting(std::span<const RoomHint> hints) {
  pb::RoomHints message;
  for (const auto& hint : hints.first(std::min(hints.size(), limits::hints))) {
    auto* made = message.add_hints();
    made->set_worker(fields::checked_id(hint.room.worker));
    made->set_incarnation(hint.room.incarnation.number());
    made->set_number(hint.room.number.number());
    made->set_mode(fields::checked_id(hint.mode));
    made->set_capacity(hint.capacity);
    made->set_free(hint.free);
    if (hint.ordered) fields::put(*hint.ordered, made->mutable_ordered());
    if (message.ByteSizeLong() > limits::lock_value_bytes) {
      message.mutable_hints()->RemoveLast();
      break;
    }
  }
  return message;
}

}  // namespace

std::string encode_hints(std::span<const RoomHint> hints) {
  return fitting(hints).SerializeAsString();
}

bool hints_fit(std::span<const RoomHint> hints) {
  return static_cast<std::size_t>(fitting(hints).hints_size()) == hints.size();
}

}  // namespace fixkeep::wire
