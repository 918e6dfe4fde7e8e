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
    obs::log_error("a certificate has expired and is refused: renew it and send SIGHUP",
                   {{"of", what_}, {"days_ago", -left.count()}});
  } else if (left < soon) {
    obs::log_warning("a certificate, or its authority, ends soon: renew it and send SIGHUP",
                     {{"of", what_}, {"days_left", left.count()}});
  } else {
    obs::log_debug("a certificate is good", {{"of", what_}, {"days_left", left.count()}});
  }
}

}  // namespace fixkeep::net
