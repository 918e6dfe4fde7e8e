// Warns of a certificate that expires soon: immediately, and again each day. Thread rule: one
// owner. Bounds: none needed. Errors: none.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace fixkeep::net {

class ExpiryWatch {
 public:
  static constexpr std::chrono::days soon{30};

  // `what`: a literal that names the certificate in the log.
  explicit ExpiryWatch(std::string_view what) : what_(what) {}

  // Warns if a warning is due. Call it regularly. `expires_at`: no value without a certificate.
  void look(std::optional<std::chrono::sys_seconds> expires_at, std::chrono::sys_seconds now);
  // Call when another certificate is in use.
  void renewed() { next_ = {}; }

 private:
  std::string_view what_;
  std::chrono::sys_seconds next_{};
};

}  // namespace fixkeep::net
