#include "common/obs/utc.hpp"

#include <gtest/gtest.h>

namespace fixkeep::obs {
namespace {

std::string text_of(std::int64_t ms_since_1970) {
  const std::chrono::milliseconds since_epoch{ms_since_1970};
  return utc_text(std::chrono::sys_time<std::chrono::milliseconds>{since_epoch});
}

TEST(Utc, is_rfc_3339_with_three_digits_of_a_second) {
  EXPECT_EQ(text_of(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(text_of(951'782'399'007), "2000-02-28T23:59:59.007Z");
  EXPECT_EQ(text_of(1'709'208'000'999), "2024-02-29T12:00:00.999Z");
}

}  // namespace
}  // namespace fixkeep::obs
