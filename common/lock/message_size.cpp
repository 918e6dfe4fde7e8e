#include "common/lock/message_size.hpp"

#include <bit>

#include "common/wire/codec.hpp"

namespace fixkeep::lock {
namespace {

// All our field numbers are below 16.
constexpr std::size_t tag = 1;

std::size_t varint(std::uint64_t number) {
  return (static_cast<std::size_t>(std::bit_width(number | 1U)) + 6) / 7;
}

std::size_t scalar(std::uint64_t number) {
  return number == 0 ? 0 : tag + varint(number);
}

// A message within a message is there even if it is empty.
std::size_t nested(std::size_t length) {
  return tag + varint(length) + length;
}

std::size_t text(std::size_t length) {
  return length == 0 ? 0 : nested(length);
}

std::size_t token(const FencingToken& value) {
  return nested(scalar(value.counter) + scalar(value.master.number()));
}

}  // namespace

std::size_t frame_size(const wire::LockMessage& message) {
  std::size_t body = text(message.key.text().size()) + scalar(message.kind) +
                     scalar(message.round) + token(message.token) + scalar(message.awaited ? 1 : 0);
  if (const auto& value = message.value; value != wire::LockValue{}) {
    body += nested(token(value.stamp) + token(value.fence) + scalar(value.uncertain ? 1 : 0) +
                   text(value.bytes.size()));
  }
  return wire::prefix_bytes + nested(body);
}

}  // namespace fixkeep::lock
