#include "master/core/seam/lock_orders.hpp"

#include <iterator>
#include <utility>

#include "common/wire/codec.hpp"

namespace fixkeep::master {

lock::LockValue value_of(const ReleaseLock& order) {
  lock::LockValue value;
  value.stamp = order.stamp;
  value.fence = order.fence;
  value.uncertain = order.uncertain;
  value.bytes = wire::encode_hints(order.hints);
  return value;
}

LockGranted grant_of(lock::KeyGranted&& granted) {
  LockGranted grant;
  grant.group = std::move(granted.key);
  grant.token = granted.token;
  grant.fence = granted.value.fence;
  grant.needs_fence = granted.needs_fence;
  grant.uncertain = granted.value.uncertain;
  if (!granted.value.bytes.empty()) {
    auto hints = wire::decode_hints(granted.value.bytes);
    if (hints) {
      grant.hints = std::move(*hints);
    } else {
      grant.uncertain = true;
    }
  }
  for (const std::string& bytes : granted.earlier) {
    auto hints = wire::decode_hints(bytes);
    if (!hints) {
      grant.uncertain = true;
      continue;
    }
    grant.earlier.insert(grant.earlier.end(), std::make_move_iterator(hints->begin()),
                         std::make_move_iterator(hints->end()));
  }
  return grant;
}

}  // namespace fixkeep::master
