#include "common/lock/message_size.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/base/random.hpp"
#include "common/wire/codec.hpp"

namespace fixkeep::lock {
namespace {

std::size_t encoded(const wire::LockMessage& message) {
  std::string frame;
  wire::append_frame(message, frame);
  return frame.size();
}

// Numbers of every length, zero often.
std::uint64_t number(Random& random) {
  return random.chance(0.2) ? 0 : random.next() >> random.below(64);
}

FencingToken token(Random& random) {
  return {std::min(number(random), largest_counter),
          MasterId{static_cast<std::uint16_t>(number(random))}};
}

TEST(MessageSize, is_that_of_the_codec) {
  EXPECT_EQ(frame_size({}), encoded({}));
  Random random{7};
  for (int i = 0; i < 5'000; ++i) {
    wire::LockMessage message;
    message.key = GroupKey{std::string(random.below(300), 'k')};
    message.kind = static_cast<std::uint8_t>(number(random));
    message.round = number(random);
    message.token = token(random);
    if (random.chance(0.7)) {
      message.value.stamp = token(random);
      message.value.fence = token(random);
      message.value.uncertain = random.chance(0.5);
      message.value.bytes = std::string(random.chance(0.3) ? 0 : random.below(4096), 'v');
    }
    ASSERT_EQ(frame_size(message), encoded(message)) << i;
  }
}

}  // namespace
}  // namespace fixkeep::lock
