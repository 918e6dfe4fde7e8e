// An identity is the name of a node in its certificate. The identity is one URI, similar to
// SPIFFE's: fixkeep://CLUSTER/ROLE/NAME. Thread rule: values and free functions. Bounds:
// limits::id_bytes a name. Errors: no value for other texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/net/node.hpp"

namespace fixkeep::net {

class TlsCredentials;  // credentials.hpp

// Paths of PEM files. A certificate's file may also have the certificates between it and its
// authority.
struct TlsFiles {
  std::string authority;
  std::string certificate;
  std::string key;        // only its owner may read it
  std::string revoked{};  // the authority's lists of revoked certificates, or empty

  friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

struct CertifiedNode {
  std::string cluster;
  Role role = Role::master;
  std::string name;

  friend bool operator==(const CertifiedNode&, const CertifiedNode&) = default;
};

[[nodiscard]] std::string to_uri(const CertifiedNode& node);
[[nodiscard]] std::optional<CertifiedNode> parse_uri(std::string_view uri);

}  // namespace fixkeep::net
