#include "common/net/tls/x509.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <ctime>
#include <utility>

namespace fixkeep::net {
namespace {

using Names = std::unique_ptr<GENERAL_NAMES, FreedBy<GENERAL_NAMES_free>>;

std::string text_of(const ASN1_STRING* string) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
          static_cast<std::size_t>(ASN1_STRING_length(string))};
}

// Reads all objects of a text. Counts unreadable blocks and continues after them.
template <class Object, class Read>
std::vector<Object> all_of(const std::string& pem, Read read, std::size_t& unread) {
  std::vector<Object> found;
  const Bio memory = memory_of(pem);
  for (;;) {
    ERR_clear_error();
    if (auto* const next = read(memory.get(), nullptr, nullptr, nullptr)) {
      found.emplace_back(next);
    } else if (ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE) {
      break;  // no further block
    } else {
      ++unread;
    }
  }
  ERR_clear_error();
  return found;
}

}  // namespace

Bio memory_of(const std::string& text) {
  return Bio{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
}

std::vector<Certificate> certificates_in(const std::string& pem) {
  std::size_t ignored = 0;
  return all_of<Certificate>(pem, PEM_read_bio_X509, ignored);
}

std::vector<RevocationList> revocation_lists_in(const std::string& pem, std::size_t& unread) {
  return all_of<RevocationList>(pem, PEM_read_bio_X509_CRL, unread);
}

PrivateKey private_key_in(const std::string& pem) {
  PrivateKey key{PEM_read_bio_PrivateKey(memory_of(pem).get(), nullptr, nullptr, nullptr)};
  ERR_clear_error();
  return key;
}

std::chrono::sys_seconds end_of(const X509* certificate) {
  std::tm end{};
  ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end);
  return std::chrono::sys_seconds{std::chrono::seconds{::timegm(&end)}};
}

std::string serial_of(const X509* certificate) {
  const std::unique_ptr<BIGNUM, FreedBy<BN_free>> number{
      ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr)};
  char* const text = BN_bn2hex(number.get());
  std::string serial{text};
  OPENSSL_free(text);
  return serial;
}

std::string common_name_of(const X509* certificate) {
  const X509_NAME* const subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return {};
  return text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
}

std::optional<CertifiedNode> node_of(const X509* certificate) {
  const Names names{static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr))};
  std::optional<CertifiedNode> node;
  const int count = names == nullptr ? 0 : sk_GENERAL_NAME_num(names.get());
  for (int i = 0; i < count; ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_URI) continue;
    auto found = parse_uri(text_of(name->d.uniformResourceIdentifier));
    if (!found) continue;
    if (node) return std::nullopt;
    node = std::move(found);
  }
  return node;
}

}  // namespace fixkeep::net
