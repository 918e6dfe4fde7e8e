#include "worker/shell/descriptors.hpp"

#include <gmock/gmock.h>

#include "common/net/descriptor_budget.hpp"

namespace fixkeep::worker {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// With the links to three masters.
constexpr std::size_t fixed = net::fixed_descriptors + GrpcServer::server_descriptors + 3;

Settings of_three_masters(std::uint16_t admin_port) {
  Settings settings;
  settings.masters.resize(3);
  settings.admin.http.port = admin_port;
  return settings;
}

TEST(WorkerDescriptors, leave_the_limits_alone_if_all_of_them_fit) {
  auto settings = of_three_masters(8200);
  EXPECT_THAT(fit_descriptors(settings, 10'000), IsEmpty());
  EXPECT_EQ(settings.core.room_limit, 100U);
  EXPECT_EQ(settings.admin.http.connections, 200U);
}

TEST(WorkerDescriptors, allow_no_more_rooms_than_can_be_opened) {
  auto settings = of_three_masters(0);
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(fit_descriptors(settings, 256), IsEmpty());
  EXPECT_THAT(
      ::testing::internal::GetCapturedStderr(),
      AllOf(HasSubstr("key=rooms.limit"), HasSubstr("from=100"), HasSubstr("descriptors=256")));
  EXPECT_EQ(settings.core.room_limit, (256 - fixed) / room_descriptors);
}

TEST(WorkerDescriptors, are_shared_between_rooms_and_those_who_look) {
  auto settings = of_three_masters(8200);
  EXPECT_THAT(fit_descriptors(settings, 96), IsEmpty());
  EXPECT_EQ(settings.core.room_limit, 1U);
  const auto http = settings.admin.http.connections + settings.admin.http.turned_away;
  EXPECT_LE(fixed + room_descriptors + http, 96U);
  EXPECT_GE(settings.admin.http.connections, 1U);
}

TEST(WorkerDescriptors, are_too_few_if_not_one_room_fits) {
  auto settings = of_three_masters(0);
  EXPECT_THAT(fit_descriptors(settings, 40), HasSubstr("is 40 and 76 are needed"));
}

}  // namespace
}  // namespace fixkeep::worker
