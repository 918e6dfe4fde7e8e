// The command of a Kubernetes API server of its own: etcd, kube-apiserver, and kubectl as a proxy
// that adds the credentials. Clients speak HTTP to the proxy, as an administrator. The proxy starts
// when the server is ready.
//
// kube-apiserver is in $FIXKEEP_KUBERNETES_PROGRAMS or ~/.cache/fixkeep/kubernetes
// (scripts/kubernetes-build.sh). All three programs are children of one shell and
// end with it.
// Thread rule: a free function. Errors: a text that names the missing program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fixkeep::client_sim {

// Prepares `command`. The proxy gets `port`, and the other programs get the next three ports. Data
// and logs are in `folder`/kubernetes. Returns the failure; empty: none.
[[nodiscard]] std::string prepare_api_server(const std::filesystem::path& folder,
                                             std::uint16_t port, std::vector<std::string>& command);

}  // namespace fixkeep::client_sim
