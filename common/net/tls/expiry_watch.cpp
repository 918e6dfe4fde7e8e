#include "common/net/tls/expiry_watch.hpp"

#include "common/obs/log.hpp"

namespace fixkeep::net {

using std::chrono::days;

void ExpiryWatch::look(std::optional<std::chrono::sys_seconds> expires_at,
                       std::chrono::sys_seconds now) {
  if (!expires_at || now < next_) return;
  next_ = now + days{1};
  const auto left = std::chrono::floor<days>(*expires_at - now);
  if (*expires_at <= now) {
    obs::log_error("the certificate has expired: no link can be made; renew it and send SIGHUP",
                   {{"days_ago", -left.count()}});
  } else if (left < soon) {
    obs::log_warning("the certificate, or its authority, ends soon: renew it and send SIGHUP",
                     {{"days_left", left.count()}});
  } else {
    obs::log_debug("the certificate is good", {{"days_left", left.count()}});
  }
}

}  // namespace fixkeep::net
