// The place of a Kubernetes API server and our credentials for it.
//
// Inside a pod it is the pod's service account. Outside it is a kubeconfig in JSON from `kubectl
// config view --raw --flatten --minify -o json`; no second format is needed. Parts of a kubeconfig
// that we do not support are refused: programs that fetch tokens, proxies, TLS without
// verification. To ignore them would be to connect otherwise than it says. Thread rule: values and
// free functions. Bounds: files of `most_file` bytes. Fault model: files may be anything and are
// replaced at any time. Errors: a sentence with the change to make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "common/net/tls/server_trust.hpp"

namespace fixkeep::kubernetes {

inline constexpr std::size_t most_file = 1U << 20U;

// A known text or the file with it. The file is read again from time to time.
struct TextOrFile {
  std::string text = {};
  std::string file = {};

  [[nodiscard]] bool empty() const { return text.empty() && file.empty(); }
  friend bool operator==(const TextOrFile&, const TextOrFile&) = default;
};

struct Access {
  std::string host;
  std::uint16_t port = 443;
  std::string prefix;  // start of every path: "/k8s/clusters/c-1" behind some proxies
  bool plain = false;  // no TLS; only on the loopback device
  TextOrFile authority;
  TextOrFile certificate;  // set together with `key`, or not at all
  TextOrFile key;
  TextOrFile token;
  std::string space;  // default namespace; empty: unknown

  friend bool operator==(const Access&, const Access&) = default;
};

// Reads the current context. Relative paths in it are relative to `folder`.
[[nodiscard]] std::variant<Access, std::string> parse_kubeconfig(std::string_view json,
                                                                 const std::string& folder);
// Without a file: the service account of the pod that we run in.
[[nodiscard]] std::variant<Access, std::string> find_access(const std::string& kubeconfig);

// The files of an access said this when they were read.
struct Credentials {
  net::TlsTexts tls;
  std::string token;

  friend bool operator==(const Credentials&, const Credentials&) = default;
};
[[nodiscard]] std::variant<Credentials, std::string> read_credentials(const Access& access);

}  // namespace fixkeep::kubernetes
