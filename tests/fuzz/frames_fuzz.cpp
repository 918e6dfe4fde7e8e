// Frames of links: what a node decodes from any other node that has shaken hands.
#include <string>

#include "common/base/assert.hpp"
#include "common/wire/codec.hpp"
#include "common/wire/limits.hpp"
#include "tests/fuzz/targets.hpp"

namespace fixkeep::fuzz {
namespace {

// What was taken can be sent on, and arrives as it was.
template <class Direction>
void check_message(std::string_view bytes) {
  const auto message = wire::decode<Direction>(bytes);
  if (!message) return;
  std::string frame;
  wire::append_frame(*message, frame);
  const auto length = wire::payload_length(frame);
  FIXKEEP_ASSERT(length && *length + wire::prefix_bytes == frame.size(), "length of a frame");
  const auto again = wire::decode<Direction>(std::string_view{frame}.substr(wire::prefix_bytes));
  FIXKEEP_ASSERT(again && *again == *message, "kind " + std::to_string(message->index()));
}

void check_hints(std::string_view bytes) {
  const auto hints = wire::decode_hints(bytes);
  if (!hints) return;
  FIXKEEP_ASSERT(hints->size() <= wire::limits::hints, std::to_string(hints->size()));
  const auto again = wire::decode_hints(wire::encode_hints(*hints));
  FIXKEEP_ASSERT(again && again->size() <= hints->size(), "hints");
  if (wire::hints_fit(*hints)) FIXKEEP_ASSERT(*again == *hints, "hints that fit");
}

}  // namespace

void fuzz_frames(std::string_view bytes) {
  const auto length = wire::payload_length(bytes);
  if (length) FIXKEEP_ASSERT(*length <= wire::limits::frame_bytes, std::to_string(*length));
  check_message<wire::FromWorker>(bytes);
  check_message<wire::ToWorker>(bytes);
  check_message<wire::BetweenMasters>(bytes);
  check_hints(bytes);
}

}  // namespace fixkeep::fuzz
