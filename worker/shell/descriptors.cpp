#include "worker/shell/descriptors.hpp"

#include "common/net/descriptor_budget.hpp"
#include "worker/sdk/door.hpp"

namespace fixkeep::worker {

std::string fit_descriptors(Settings& settings, std::size_t limit) {
  const auto fixed = net::fixed_descriptors + GrpcServer::server_descriptors +
                     settings.masters.size() +
                     (settings.kubernetes.sdk.image.empty() ? 0 : SdkDoor::descriptors);
  const auto http =
      settings.admin.http.port == 0 ? net::DescriptorUse{} : net::http_use(settings.admin.http);
  const auto wanted_rooms = settings.core.room_limit * room_descriptors;
  const auto shares = net::share_descriptors(limit > fixed ? limit - fixed : 0,
                                             {{wanted_rooms, room_descriptors}, http});
  if (shares.empty()) {
    return net::too_few_descriptors(limit, fixed + room_descriptors + http.least);
  }
  const auto limit_before = settings.core.room_limit;
  settings.core.room_limit = static_cast<std::uint32_t>(shares[0] / room_descriptors);
  if (settings.admin.http.port != 0) net::fit_http(settings.admin.http, shares[1]);
  net::warn_if_lowered("rooms.limit", limit_before, settings.core.room_limit, limit);
  return {};
}

}  // namespace fixkeep::worker
