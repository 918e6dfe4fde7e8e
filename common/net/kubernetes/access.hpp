// The address of a Kubernetes API server and our credentials for it.
//
// Inside a pod, both come from the pod's service account. Outside a pod, both come from a
// kubeconfig in JSON, made by `kubectl config view --raw --flatten --minify -o json`; no second
// format is needed. A kubeconfig is refused if it has parts that we do not support: programs that
// fetch tokens, proxies, TLS without verification. Otherwise the connection would differ from the
// kubeconfig's intent. Thread rule: values and free functions. Bounds: a file has at most
// `most_file` bytes. Fault model: files may contain anything and are replaced at any time. Errors:
// a sentence that names the necessary change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "common/net/tls/server_trust.hpp"

namespace fixkeep::kubernetes {

inline constexpr std::size_t most_file = 1U << 20U;

// A text, or a file with the text. The file is read again from time to time.
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
  TextOrFile certificate;  // set only together with `key`
  TextOrFile key;
  TextOrFile token;
  std::string space;  // default namespace; empty: unknown

  friend bool operator==(const Access&, const Access&) = default;
};

// Reads the current context. Its relative paths start at `folder`.
[[nodiscard]] std::variant<Access, std::string> parse_kubeconfig(std::string_view json,
                                                                 const std::string& folder);
// If `kubeconfig` is empty, uses the service account of the pod in which this process runs.
[[nodiscard]] std::variant<Access, std::string> find_access(const std::string& kubeconfig);

// The contents of an Access's files, as last read.
struct Credentials {
  net::TlsTexts tls;
  std::string token;

  friend bool operator==(const Credentials&, const Credentials&) = default;
};
[[nodiscard]] std::variant<Credentials, std::string> read_credentials(const Access& access);

}  // namespace fixkeep::kubernetes
