#include "worker/runner/complaints.hpp"

#include "common/base/time.hpp"
#include "common/obs/log.hpp"

namespace fixkeep::worker {

void Complaints::tell(const std::string& what, const std::string& about,
                      const std::string& reason) {
  const TimePoint now{
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
  const auto like_it = limit_.admit(what + ": " + reason, now);
  if (!like_it) return;
  obs::log_warning(what + obs::more_like_it(*like_it), {{subject_, about}, {"reason", reason}});
}

}  // namespace fixkeep::worker
