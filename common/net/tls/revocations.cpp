#include "common/net/tls/revocations.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>

#include "common/net/tls/certificate_files.hpp"
#include "common/obs/log.hpp"

namespace fixkeep::net {
namespace {

using StoreContext = std::unique_ptr<X509_STORE_CTX, FreedBy<X509_STORE_CTX_free>>;

bool has_signed(const Certificate& authority, const RevocationList& list) {
  return X509_NAME_cmp(X509_get_subject_name(authority.get()), X509_CRL_get_issuer(list.get())) ==
             0 &&
         X509_CRL_verify(list.get(), X509_get0_pubkey(authority.get())) == 1;
}

int accept_old_lists(int verified, X509_STORE_CTX* check) {
  if (verified == 1) return verified;
  switch (X509_STORE_CTX_get_error(check)) {
    case X509_V_ERR_UNABLE_TO_GET_CRL:
    case X509_V_ERR_CRL_HAS_EXPIRED:
    case X509_V_ERR_CRL_NOT_YET_VALID: X509_STORE_CTX_set_error(check, X509_V_OK); return 1;
    default: return verified;
  }
}

}  // namespace

std::string add_revocations(const std::string& file, const std::vector<Certificate>& authorities,
                            X509_STORE* store) {
  const auto read = read_revocation_lists(file);
  if (const auto* const problem = std::get_if<std::string>(&read)) return *problem;
  for (const auto& list : std::get<0>(read)) {
    const bool known =
        std::any_of(authorities.begin(), authorities.end(),
                    [&](const Certificate& authority) { return has_signed(authority, list); });
    ERR_clear_error();
    if (!known) return fmt::format("{} holds a list that the authority has not signed", file);
    const ASN1_TIME* const next = X509_CRL_get0_nextUpdate(list.get());
    if (next != nullptr && X509_cmp_current_time(next) < 0) {
      obs::log_warning("a list of revoked certificates has lapsed: it counts, and may lack some",
                       {{"file", file}});
    }
    X509_STORE_add_crl(store, list.get());
  }
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
  X509_STORE_set_verify_cb(store, accept_old_lists);
  return {};
}

bool has_revoked_peer(SSL* connection, X509_STORE* store) {
  const Certificate theirs{SSL_get1_peer_certificate(connection)};
  if (theirs == nullptr) return false;
  const StoreContext check{X509_STORE_CTX_new()};
  X509_STORE_CTX_init(check.get(), store, theirs.get(), SSL_get_peer_cert_chain(connection));
  const bool verified = X509_verify_cert(check.get()) == 1;
  ERR_clear_error();
  return !verified && X509_STORE_CTX_get_error(check.get()) == X509_V_ERR_CERT_REVOKED;
}

}  // namespace fixkeep::net
