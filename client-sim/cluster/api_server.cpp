#include "client-sim/cluster/api_server.hpp"

#include <unistd.h>

#include <cstdlib>

namespace fixkeep::client_sim {

namespace {

namespace fs = std::filesystem;

// The API server wants an address to advertise, which it does not find without a default route.
constexpr const char* three_programs = R"(cd "$1" || exit 1
etcd=$(($2 + 1)) peers=$(($2 + 2)) api=$(($2 + 3))
with_us='setpriv --pdeathsig KILL'
trap 'kill $(jobs -p); wait; exit' TERM
[ -f sa.key ] || openssl genrsa -out sa.key 2048
echo 'secret,admin,admin,"system:masters"' >tokens.csv
printf '%s' '{"apiVersion":"v1","kind":"Config","current-context":"x",
  "clusters":[{"name":"c","cluster":
    {"server":"https://127.0.0.1:'"$api"'","insecure-skip-tls-verify":true}}],
  "users":[{"name":"u","user":{"token":"secret"}}],
  "contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}]}' >admin.json
$with_us etcd --data-dir etcd --unsafe-no-fsync --listen-client-urls "http://127.0.0.1:$etcd" \
  --advertise-client-urls "http://127.0.0.1:$etcd" --listen-peer-urls "http://127.0.0.1:$peers" \
  --initial-advertise-peer-urls "http://127.0.0.1:$peers" \
  --initial-cluster "default=http://127.0.0.1:$peers" 2>etcd.log &
$with_us "$0" "--etcd-servers=http://127.0.0.1:$etcd" \
  --bind-address=127.0.0.1 --advertise-address=192.0.2.1 "--secure-port=$api" \
  --cert-dir=certs --service-account-issuer=https://kubernetes.default.svc \
  --service-account-signing-key-file=sa.key --service-account-key-file=sa.key \
  --token-auth-file=tokens.csv --authorization-mode=RBAC --service-cluster-ip-range=10.96.0.0/16 \
  2>api.log &
until kubectl --kubeconfig admin.json get --raw /readyz; do sleep 0.2; done
$with_us kubectl --kubeconfig admin.json proxy "--port=$2" &
wait)";

fs::path programs() {
  if (const char* given = std::getenv("FIXKEEP_KUBERNETES_PROGRAMS")) return given;
  const char* home = std::getenv("HOME");
  return fs::path{home == nullptr ? "/root" : home} / ".cache/fixkeep/kubernetes";
}

}  // namespace

std::string prepare_api_server(const fs::path& folder, std::uint16_t port,
                               std::vector<std::string>& command) {
  const auto server = programs() / "kube-apiserver";
  if (::access(server.c_str(), X_OK) != 0) {
    return server.string() + " is missing: scripts/kubernetes-build.sh " + programs().string();
  }
  const auto place = folder / "kubernetes";
  std::error_code failure;
  fs::remove_all(place, failure);
  fs::create_directory(place, failure);
  if (failure) return "cannot make the folder " + place.string();
  command = {"/bin/sh",       "-c",           three_programs,
             server.string(), place.string(), std::to_string(port)};
  return {};
}

}  // namespace fixkeep::client_sim
