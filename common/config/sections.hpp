// What masters and workers have in common: checks and fields.
//
// The visit functions are templates so that this library needs no header of the parts whose options
// they fill (net, obs): `Fields` is FieldReader or FieldWriter.
// Thread rule: free functions without state.
#pragma once

#include "common/config/loader.hpp"

namespace fixkeep::config {

// One list of values must not repeat: reports each entry of `list` whose `member` was there before,
// as "modes[3].name: must be unique, is "duel" as in modes[0]".
void check_unique(const Document& document, std::string_view list, std::string_view member,
                  Problems& problems);

// mesh: heartbeats and reconnect pauses fit each other.
void check_links(const Document& document, Problems& problems);

// Every "host:port" of `list`[i].address has a port that can be dialled.
void check_addresses(const Document& document, std::string_view list, Problems& problems);

// Reports `message` at `key`, unless a key that the check depends on has a problem already.
class CrossCheck {
 public:
  CrossCheck(const Document& document, Problems& problems)
      : document_(document), problems_(problems) {}

  // True if every key is there and right by itself.
  [[nodiscard]] bool can_judge(std::initializer_list<std::string_view> keys) const;
  [[nodiscard]] std::int64_t number(std::string_view key) const;
  void report(const std::string& key, std::string message);

 private:
  const Document& document_;
  Problems& problems_;
};

// --- fields -------------------------------------------------------------------------------------

// `section` is that of the configuration; for "admin" see visit_admin().
template <class Fields, class HttpOptions>
void visit_http(const Fields& fields, const std::string& section, HttpOptions& http) {
  fields(section + ".address", http.address);
  fields(section + ".port", http.port);
  fields(section + ".connections", http.connections);
  fields(section + ".connections_per_address", http.connections_per_address);
  fields(section + ".header_bytes", http.header_bytes);
  fields(section + ".body_bytes", http.body_bytes);
  fields(section + ".request_timeout_ms", http.request_timeout);
  fields(section + ".idle_timeout_ms", http.idle_timeout);
  fields(section + ".tls.certificate", http.tls_files.certificate);
  fields(section + ".tls.key", http.tls_files.key);
}

// Where operators ask.
template <class Fields, class HttpOptions>
void visit_admin(const Fields& fields, HttpOptions& http) {
  visit_http(fields, "admin", http);
  fields("admin.tls.clients", http.tls_files.clients);
  fields("admin.tls.revoked", http.tls_files.revoked);
}

template <class Fields, class LinkOptions>
void visit_links(const Fields& fields, LinkOptions& links) {
  fields("cluster.id", links.cluster);
  fields("mesh.heartbeat_ms", links.heartbeat_interval);
  fields("mesh.heartbeat_timeout_ms", links.heartbeat_timeout);
  fields("mesh.handshake_timeout_ms", links.handshake_timeout);
  fields("mesh.reconnect_first_ms", links.reconnect_first);
  fields("mesh.reconnect_most_ms", links.reconnect_most);
  fields("mesh.send_queue_bytes", links.send_queue_bytes);
  fields("mesh.pending_handshakes", links.pending_handshakes);
  fields("tls.authority", links.tls_files.authority);
  fields("tls.certificate", links.tls_files.certificate);
  fields("tls.key", links.tls_files.key);
  fields("tls.revoked", links.tls_files.revoked);
  fields("tls.without", links.without_tls);
}

}  // namespace fixkeep::config
