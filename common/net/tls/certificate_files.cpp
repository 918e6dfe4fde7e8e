#include "common/net/tls/certificate_files.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "common/config/document.hpp"

namespace fixkeep::net {
namespace {

struct FileText {
  std::string text;
  std::string problem;  // empty: no problem
};

FileText read_file(const std::string& path) {
  FileText read;
  if (const auto why = config::read_file(path, read.text); !why.empty()) {
    return {{}, fmt::format("cannot read {}: {}", path, why)};
  }
  if (read.text.size() > certificate_file_bytes) {
    return {{}, fmt::format("cannot read {}: it has more than 1 MiB", path)};
  }
  return read;
}

bool is_group_of_ours(gid_t group) {
  if (group == ::getegid()) return true;
  const int count = ::getgroups(0, nullptr);
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(count, 0)));
  if (::getgroups(count, groups.data()) < 0) return false;
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

// Returns the mistake in a key file's mode, or an empty text. A group of this process may read the
// file but not change it. Kubernetes (fsGroup) and Debian (ssl-cert) use this.
std::string who_else_reads(const std::string& key_file) {
  struct stat status {};
  if (::stat(key_file.c_str(), &status) != 0) return {};  // the later read reports the error
  constexpr mode_t group_reads = S_IRGRP;
  if ((status.st_mode & (S_IRWXG | S_IRWXO) & ~group_reads) != 0) {
    return fmt::format("others may read the key {}: chmod 600 it", key_file);
  }
  if ((status.st_mode & group_reads) == 0 || is_group_of_ours(status.st_gid)) return {};
  return fmt::format(
      "others may read the key {}: this process is not in its group {}: chmod 600 it", key_file,
      status.st_gid);
}

}  // namespace

CertificateStack CertifiedKey::between() const {
  CertificateStack stack{sk_X509_new_null()};
  for (std::size_t i = 1; i < chain.size(); ++i) {
    X509_up_ref(chain[i].get());
    sk_X509_push(stack.get(), chain[i].get());
  }
  return stack;
}

bool CertifiedKey::put_into(SSL_CTX* context) const {
  return SSL_CTX_use_certificate(context, own()) == 1 &&
         SSL_CTX_use_PrivateKey(context, key.get()) == 1 &&
         SSL_CTX_set1_chain(context, between().get()) == 1;
}

std::variant<std::vector<Certificate>, std::string> read_certificates(const std::string& file) {
  const auto read = read_file(file);
  if (!read.problem.empty()) return read.problem;
  auto found = certificates_in(read.text);
  if (found.empty()) return fmt::format("{} holds no certificate in PEM", file);
  return found;
}

std::variant<std::vector<RevocationList>, std::string> read_revocation_lists(
    const std::string& file) {
  const auto read = read_file(file);
  if (!read.problem.empty()) return read.problem;
  std::size_t unread = 0;
  auto found = revocation_lists_in(read.text, unread);
  if (unread > 0) {
    return fmt::format("{} has a list of revoked certificates that cannot be read", file);
  }
  if (found.empty()) return fmt::format("{} holds no list of revoked certificates in PEM", file);
  return found;
}

std::variant<CertifiedKey, std::string> read_certified_key(const std::string& certificate_file,
                                                           const std::string& key_file) {
  auto chain = read_certificates(certificate_file);
  if (auto* const problem = std::get_if<std::string>(&chain)) return std::move(*problem);
  if (auto problem = who_else_reads(key_file); !problem.empty()) return problem;
  auto text = read_file(key_file);
  if (!text.problem.empty()) return text.problem;
  CertifiedKey made{std::move(std::get<0>(chain)), private_key_in(text.text)};
  OPENSSL_cleanse(text.text.data(), text.text.size());
  if (made.key == nullptr) return fmt::format("{} holds no private key in PEM", key_file);
  if (X509_check_private_key(made.own(), made.key.get()) != 1) {
    return fmt::format("{} is not the key of {}", key_file, certificate_file);
  }
  return made;
}

}  // namespace fixkeep::net
