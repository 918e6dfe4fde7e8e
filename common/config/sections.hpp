// Checks and settings that masters and workers share.
//
// The visit functions are templates, so this library includes no header from net or obs, where the
// options are defined. `Fields` is FieldReader or FieldWriter.
// Thread rule: free functions without state.
#pragma once

#include "common/base/time_limits.hpp"
#include "common/config/loader.hpp"

namespace fixkeep::config {

// Reports each entry of `list` with a repeated `member`, as "modes[3].name: must be unique, is
// "duel" as in modes[0]".
void check_unique(const Document& document, std::string_view list, std::string_view member,
                  Problems& problems);

// Derives the limits from network.round_trip_ms and from the choices of time_limits.hpp in
// `document`. Reports each unsafe choice with the change to make.
[[nodiscard]] TimeLimits read_time_limits(const Document& document, Problems& problems);

// Reports each `list`[i].address ("host:port") whose port cannot be dialled.
void check_addresses(const Document& document, std::string_view list, Problems& problems);

// Reports a problem if this machine cannot write log.file. Creates nothing.
void check_log_file(const Document& document, Problems& problems);

// Reports `message` at `key`, unless a key that the check uses already has a problem.
class CrossCheck {
 public:
  CrossCheck(const Document& document, Problems& problems)
      : document_(document), problems_(problems) {}

  // True if every key is present and has no problem.
  [[nodiscard]] bool can_judge(std::initializer_list<std::string_view> keys) const;
  [[nodiscard]] std::int64_t number(std::string_view key) const;
  void report(const std::string& key, std::string message);

 private:
  const Document& document_;
  Problems& problems_;
};

// --- fields -------------------------------------------------------------------------------------

// The section of a listener: "http" or "admin".
template <class Fields, class HttpOptions>
void visit_http(const Fields& fields, const std::string& section, HttpOptions& http) {
  fields(section + ".address", http.address);
  fields(section + ".port", http.port);
  fields(section + ".tls.certificate", http.tls_files.certificate);
  fields(section + ".tls.key", http.tls_files.key);
}

// The section of the operators' listener.
template <class Fields, class HttpOptions>
void visit_admin(const Fields& fields, HttpOptions& http) {
  visit_http(fields, "admin", http);
  fields("admin.tls.clients", http.tls_files.clients);
  fields("admin.tls.revoked", http.tls_files.revoked);
}

template <class Fields, class LinkOptions>
void visit_links(const Fields& fields, LinkOptions& links) {
  fields("cluster.id", links.cluster);
  fields("mesh.heartbeat_timeout_ms", links.heartbeat_timeout);
  fields("tls.authority", links.tls_files.authority);
  fields("tls.certificate", links.tls_files.certificate);
  fields("tls.key", links.tls_files.key);
  fields("tls.revoked", links.tls_files.revoked);
  fields("tls.without", links.without_tls);
}

template <class LinkOptions>
void take_limits(const TimeLimits& limits, LinkOptions& links) {
  links.heartbeat_timeout = limits.heartbeat_timeout;
  links.handshake_timeout = limits.handshake;
}

}  // namespace fixkeep::config
