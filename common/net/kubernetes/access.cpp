#include "common/net/kubernetes/access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/base/base64.hpp"
#include "common/config/address.hpp"
#include "common/config/secret_text.hpp"
#include "common/net/kubernetes/core/json.hpp"

namespace fixkeep::kubernetes {
namespace {

namespace fs = std::filesystem;

constexpr auto account_folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
constexpr auto how_to_write =
    "kubectl config view --raw --flatten --minify -o json writes one that is complete";

std::variant<std::string, std::error_code> read_text(const std::string& path) {
  std::error_code failure;
  if (const auto found = fs::status(path, failure);
      fs::exists(found) && !fs::is_regular_file(found)) {
    return std::make_error_code(std::errc::invalid_argument);  // a read of a pipe would block
  }
  errno = 0;
  std::ifstream file{path, std::ios::binary};
  std::string text(most_file, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (file.fail() && !file.eof())) {
    return std::error_code{errno == 0 ? EIO : errno, std::generic_category()};
  }
  if (!file.eof()) return std::error_code{EFBIG, std::generic_category()};
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

// In a list of a kubeconfig, finds the entry with this name and returns its member `what`.
const Json& named(const Json& list, const std::string& name, const char* what) {
  static const Json nothing;
  if (!list.is_array()) return nothing;
  for (const Json& each : list) {
    if (text_at(each, "name") == name) return at(each, what);
  }
  return nothing;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

// Reads "https://HOST[:PORT][/PREFIX]". Returns the mistake, or an empty text.
std::string take_server(std::string_view url, Access& access) {
  const std::string whole{url};
  access.plain = url.starts_with("http://");
  if (!access.plain && !url.starts_with("https://")) {
    return fmt::format("has no server that begins with https://, but \"{}\"", whole);
  }
  url.remove_prefix(access.plain ? 7 : 8);
  const auto slash = std::min(url.find('/'), url.size());
  access.prefix = url.substr(slash);
  while (access.prefix.ends_with('/')) access.prefix.pop_back();
  std::string place{url.substr(0, slash)};
  const auto colon = place.rfind(':');
  const bool has_port = colon != std::string::npos && place.find(']', colon) == std::string::npos;
  if (!has_port) place += access.plain ? ":80" : ":443";
  const auto address = config::parse_address(place);
  if (!address || address->host.empty() || address->port == 0) {
    return fmt::format("has a server that is no address: \"{}\"", whole);
  }
  access.host = address->host;
  access.port = address->port;
  if (!access.plain || is_loopback(access.host)) return {};
  return fmt::format("has the server \"{}\", to which a token would go in plain text: write https",
                     whole);
}

// Returns the first key that has a value and is not in `known`: such a key is refused.
std::string unknown_key(const Json& object, const std::vector<std::string_view>& known) {
  if (!object.is_object()) return {};
  for (const auto& [key, value] : object.items()) {
    const auto* const text = value.get_ptr<const std::string*>();
    const bool says_nothing =
        value.is_null() || value == false || (text != nullptr && text->empty());
    if (says_nothing || std::find(known.begin(), known.end(), key) != known.end()) continue;
    return key;
  }
  return {};
}

class KubeconfigReader {
 public:
  explicit KubeconfigReader(std::string folder) : folder_(std::move(folder)) {}

  std::variant<Access, std::string> read(const Json& all) {
    const std::string name = text_at(all, "current-context");
    const Json& context = named(at(all, "contexts"), name, "context");
    const Json& cluster = named(at(all, "clusters"), text_at(context, "cluster"), "cluster");
    const Json& user = named(at(all, "users"), text_at(context, "user"), "user");
    if (!cluster.is_object()) {
      return fmt::format("has no cluster of its current-context \"{}\"; {}", name, how_to_write);
    }
    access_.space = text_at(context, "namespace");
    for (const auto& problem : {take_cluster(cluster), take_user(user)}) {
      if (!problem.empty()) return problem;
    }
    return access_;
  }

 private:
  std::string take_cluster(const Json& cluster) {
    if (auto wrong = take_server(text_at(cluster, "server"), access_); !wrong.empty()) return wrong;
    if (at(cluster, "insecure-skip-tls-verify") == true) {
      return "has insecure-skip-tls-verify, so any machine could be the API server: give its "
             "certificate-authority instead";
    }
    const auto other = unknown_key(
        cluster, {"server", "certificate-authority", "extensions", "certificate-authority-data"});
    if (!other.empty()) return fmt::format("has {} in its cluster, which is not supported", other);
    if (auto wrong = take("certificate-authority", cluster, access_.authority); !wrong.empty()) {
      return wrong;
    }
    if (access_.authority.empty() && !access_.plain) {
      return fmt::format("has no certificate-authority; {}", how_to_write);
    }
    return {};
  }

  std::string take_user(const Json& user) {
    const auto other =
        unknown_key(user, {"client-certificate", "client-certificate-data", "client-key",
                           "client-key-data", "token", "tokenFile", "extensions"});
    if (!other.empty()) {
      return fmt::format(
          "has {} in its user, which is not supported: give the token of a service account, or a "
          "client-certificate",
          other);
    }
    if (auto wrong = take("client-certificate", user, access_.certificate); !wrong.empty()) {
      return wrong;
    }
    if (auto wrong = take("client-key", user, access_.key); !wrong.empty()) return wrong;
    if (access_.certificate.empty() != access_.key.empty()) {
      return "has only one of client-certificate and client-key";
    }
    access_.token.text = text_at(user, "token");
    access_.token.file = path_of(text_at(user, "tokenFile"));
    return {};
  }

  // Inline data take priority over a file, as in kubectl.
  std::string take(const std::string& key, const Json& from, TextOrFile& into) const {
    const std::string data = text_at(from, (key + "-data").c_str());
    if (!data.empty()) {
      auto text = from_base64(data);
      if (!text) return fmt::format("has {}-data that is not in base64", key);
      into.text = std::move(*text);
      return {};
    }
    into.file = path_of(text_at(from, key.c_str()));
    return {};
  }

  [[nodiscard]] std::string path_of(const std::string& path) const {
    return path.empty() ? path : (fs::path{folder_} / path).lexically_normal().string();
  }

  std::string folder_;
  Access access_;
};

std::variant<Access, std::string> service_account() {
  const char* const host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* const port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || port == nullptr) {
    return "there is no kubeconfig, and this is no pod of a cluster: KUBERNETES_SERVICE_HOST is "
           "not "
           "set";
  }
  Access access;
  access.host = host;
  const std::string_view digits = port;
  std::from_chars(digits.data(), digits.data() + digits.size(), access.port);
  access.authority.file = std::string{account_folder} + "ca.crt";
  access.token.file = std::string{account_folder} + "token";
  const auto space = read_text(std::string{account_folder} + "namespace");
  if (const auto* const text = std::get_if<std::string>(&space)) {
    access.space = config::secret_in(*text);
  }
  return access;
}

}  // namespace

std::variant<Access, std::string> parse_kubeconfig(std::string_view json,
                                                   const std::string& folder) {
  const Json all = Json::parse(json.begin(), json.end(), nullptr, false);
  if (!all.is_object()) return fmt::format("is not in JSON; {}", how_to_write);
  return KubeconfigReader{folder}.read(all);
}

std::variant<Access, std::string> find_access(const std::string& kubeconfig) {
  if (kubeconfig.empty()) return service_account();
  const auto text = read_text(kubeconfig);
  if (const auto* const error = std::get_if<std::error_code>(&text)) {
    return fmt::format("cannot read the kubeconfig {}: {}", kubeconfig, error->message());
  }
  auto access =
      parse_kubeconfig(std::get<std::string>(text), fs::path{kubeconfig}.parent_path().string());
  if (const auto* const why = std::get_if<std::string>(&access)) {
    return fmt::format("the kubeconfig {} {}", kubeconfig, *why);
  }
  return access;
}

std::variant<Credentials, std::string> read_credentials(const Access& access) {
  Credentials read;
  const std::array<std::pair<const TextOrFile*, std::string*>, 4> wanted{{
      {&access.authority, &read.tls.authority},
      {&access.certificate, &read.tls.certificate},
      {&access.key, &read.tls.key},
      {&access.token, &read.token},
  }};
  for (const auto& [from, into] : wanted) {
    *into = from->text;
    if (from->file.empty() || !from->text.empty()) continue;
    auto text = read_text(from->file);
    if (const auto* const error = std::get_if<std::error_code>(&text)) {
      return fmt::format("cannot read {}: {}", from->file, error->message());
    }
    *into = std::move(std::get<std::string>(text));
  }
  read.token = config::secret_in(read.token);
  return read;
}

}  // namespace fixkeep::kubernetes
