#include "common/certs/authority.hpp"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <array>
#include <ctime>
#include <utility>

#include "common/base/assert.hpp"
#include "common/net/tls/x509.hpp"

namespace fixkeep::certs {
namespace {

using net::Bio;
using net::Certificate;
using net::FreedBy;
using net::PrivateKey;
using net::RevocationList;
using Time = std::unique_ptr<ASN1_TIME, FreedBy<ASN1_TIME_free>>;
using Number = std::unique_ptr<BIGNUM, FreedBy<BN_free>>;
using Integer = std::unique_ptr<ASN1_INTEGER, FreedBy<ASN1_INTEGER_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, FreedBy<X509_EXTENSION_free>>;

constexpr std::size_t serial_bytes = 16;

// Asserts that a call has succeeded. Use it for calls that fail only if memory runs out or our own
// code is wrong.
void need(bool done, const char* what) {
  FIXKEEP_ASSERT(done, what);
}

std::string text_in(BIO* memory) {
  char* begin = nullptr;
  const long size = BIO_get_mem_data(memory, &begin);
  return {begin, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* certificate) {
  const Bio memory{BIO_new(BIO_s_mem())};
  need(PEM_write_bio_X509(memory.get(), certificate) == 1, "PEM of a certificate");
  return text_in(memory.get());
}

std::string pem_of(EVP_PKEY* key) {
  const Bio memory{BIO_new(BIO_s_secmem())};
  need(PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
       "PEM of a key");
  return text_in(memory.get());
}

PrivateKey new_key() {
  PrivateKey key{EVP_EC_gen("P-256")};
  need(key != nullptr, "a new key");
  return key;
}

void set_time(ASN1_TIME* out, std::chrono::sys_seconds time) {
  need(ASN1_TIME_set(out, static_cast<std::time_t>(time.time_since_epoch().count())) != nullptr,
       "a time");
}

void add(X509* certificate, const X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, const_cast<X509*>(issuer), certificate, nullptr, nullptr, 0);
  const Extension extension{X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str())};
  need(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1, "an extension");
}

// Makes a certificate that has no extensions and no signature yet.
Certificate blank(EVP_PKEY* key, const std::string& common_name, Validity validity) {
  Certificate made{X509_new()};
  need(made != nullptr && X509_set_version(made.get(), X509_VERSION_3) == 1, "a certificate");
  std::array<unsigned char, serial_bytes> serial{};
  need(RAND_bytes(serial.data(), serial.size()) == 1, "random bytes");
  serial[0] &= 0x7FU;  // makes the serial positive
  const Number number{BN_bin2bn(serial.data(), serial.size(), nullptr)};
  BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(made.get()));
  set_time(X509_getm_notBefore(made.get()), validity.from);
  set_time(X509_getm_notAfter(made.get()), validity.until);
  X509_NAME* const subject = X509_get_subject_name(made.get());
  const auto add_name = [&](const char* field, const std::string& text) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
    need(X509_NAME_add_entry_by_txt(subject, field, MBSTRING_UTF8, bytes,
                                    static_cast<int>(text.size()), -1, 0) == 1,
         "a name");
  };
  add_name("O", "FIX Keep");
  add_name("CN", common_name);
  need(X509_set_pubkey(made.get(), key) == 1, "a public key");
  return made;
}

Time time_of(std::chrono::sys_seconds time) {
  Time made{ASN1_TIME_new()};
  need(made != nullptr, "a time");
  set_time(made.get(), time);
  return made;
}

void add_entry(X509_CRL* list, const std::string& serial, ASN1_TIME* from) {
  BIGNUM* parsed = nullptr;
  need(BN_hex2bn(&parsed, serial.c_str()) > 0, "a serial");
  const Number value{parsed};
  const Integer number{BN_to_ASN1_INTEGER(value.get(), nullptr)};
  X509_REVOKED* known = nullptr;
  if (X509_CRL_get0_by_serial(list, &known, number.get()) == 1) return;
  X509_REVOKED* const entry = X509_REVOKED_new();
  need(entry != nullptr && X509_REVOKED_set_serialNumber(entry, number.get()) == 1 &&
           X509_REVOKED_set_revocationDate(entry, from) == 1 &&
           X509_CRL_add0_revoked(list, entry) == 1,
       "an entry of a list");
}

// Increments the list's number: each list has a greater number than its predecessor.
void count_up(X509_CRL* list) {
  const Integer before{
      static_cast<ASN1_INTEGER*>(X509_CRL_get_ext_d2i(list, NID_crl_number, nullptr, nullptr))};
  const Integer next{ASN1_INTEGER_new()};
  need(ASN1_INTEGER_set(next.get(), before ? ASN1_INTEGER_get(before.get()) + 1 : 1) == 1 &&
           X509_CRL_add1_ext_i2d(list, NID_crl_number, next.get(), 0, X509V3_ADD_REPLACE) == 1,
       "the number of a list");
}

}  // namespace

KeyPair::~KeyPair() {
  OPENSSL_cleanse(key.data(), key.size());
}

struct Authority::Parts {
  Certificate certificate;
  PrivateKey key;
};

Authority::Authority(std::string cluster, std::unique_ptr<Parts> parts)
    : cluster_(std::move(cluster)), parts_(std::move(parts)) {}
Authority::Authority(Authority&&) noexcept = default;
Authority& Authority::operator=(Authority&&) noexcept = default;
Authority::~Authority() = default;

Authority Authority::make(const std::string& cluster, Validity validity) {
  PrivateKey key = new_key();
  Certificate made = blank(key.get(), cluster, validity);
  X509_set_issuer_name(made.get(), X509_get_subject_name(made.get()));
  add(made.get(), made.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add(made.get(), made.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
  add(made.get(), made.get(), NID_subject_key_identifier, "hash");
  need(X509_sign(made.get(), key.get(), EVP_sha256()) > 0, "a signature");
  return {cluster, std::make_unique<Parts>(Parts{std::move(made), std::move(key)})};
}

std::variant<Authority, std::string> Authority::read(const KeyPair& pair) {
  auto certificates = net::certificates_in(pair.certificate);
  if (certificates.size() != 1) return "it is no certificate in PEM";
  Certificate& certificate = certificates.front();
  PrivateKey key = net::private_key_in(pair.key);
  if (key == nullptr) return "its key is no private key in PEM";
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    ERR_clear_error();
    return "its key belongs to another certificate";
  }
  if (X509_check_ca(certificate.get()) != 1) return "it is no authority";
  auto cluster = net::common_name_of(certificate.get());
  if (cluster.empty()) return "it names no cluster";
  return Authority{std::move(cluster),
                   std::make_unique<Parts>(Parts{std::move(certificate), std::move(key)})};
}

std::chrono::sys_seconds Authority::expires_at() const {
  return net::end_of(parts_->certificate.get());
}

KeyPair Authority::to_pair() const {
  KeyPair pair;
  pair.certificate = pem_of(parts_->certificate.get());
  pair.key = pem_of(parts_->key.get());
  return pair;
}

KeyPair Authority::certify(const net::CertifiedNode& node, Validity validity) const {
  const PrivateKey key = new_key();
  const Certificate made = blank(key.get(), node.name, validity);
  X509* const issuer = parts_->certificate.get();
  X509_set_issuer_name(made.get(), X509_get_subject_name(issuer));
  add(made.get(), issuer, NID_basic_constraints, "critical,CA:FALSE");
  add(made.get(), issuer, NID_key_usage, "critical,digitalSignature");
  add(made.get(), issuer, NID_ext_key_usage, "serverAuth,clientAuth");
  add(made.get(), issuer, NID_subject_alt_name, "URI:" + net::to_uri(node));
  add(made.get(), issuer, NID_subject_key_identifier, "hash");
  add(made.get(), issuer, NID_authority_key_identifier, "keyid:always");
  need(X509_sign(made.get(), parts_->key.get(), EVP_sha256()) > 0, "a signature");
  KeyPair pair;
  pair.certificate = pem_of(made.get());
  pair.key = pem_of(key.get());
  return pair;
}

std::optional<std::string> Authority::revoke(const std::string& list,
                                             const std::set<std::string>& serials,
                                             std::chrono::sys_seconds now) const {
  X509* const issuer = parts_->certificate.get();
  std::size_t unread = 0;
  auto lists = net::revocation_lists_in(list, unread);
  if (lists.empty() != list.empty() || lists.size() + unread > 1) return {};
  RevocationList made = lists.empty() ? RevocationList{X509_CRL_new()} : std::move(lists.front());
  if (lists.empty()) {
    need(X509_CRL_set_version(made.get(), X509_CRL_VERSION_2) == 1 &&
             X509_CRL_set_issuer_name(made.get(), X509_get_subject_name(issuer)) == 1,
         "a list");
  } else if (X509_CRL_verify(made.get(), parts_->key.get()) != 1) {
    ERR_clear_error();
    return {};
  }
  const Time from = time_of(now);
  X509_CRL_set1_lastUpdate(made.get(), from.get());
  X509_CRL_set1_nextUpdate(made.get(), time_of(expires_at()).get());
  for (const auto& serial : serials) add_entry(made.get(), serial, from.get());
  count_up(made.get());
  X509_CRL_sort(made.get());
  need(X509_CRL_sign(made.get(), parts_->key.get(), EVP_sha256()) > 0, "a signature");
  const Bio memory{BIO_new(BIO_s_mem())};
  need(PEM_write_bio_X509_CRL(memory.get(), made.get()) == 1, "PEM of a list");
  return text_in(memory.get());
}

std::variant<CertificateFacts, std::string> facts_of(const std::string& certificate) {
  const auto read = net::certificates_in(certificate);
  if (read.empty()) return "it is no certificate in PEM";
  const X509* const own = read.front().get();
  auto node = net::node_of(own);
  if (!node) return "it does not say of which node it is";
  return CertificateFacts{std::move(*node), net::end_of(own), net::serial_of(own)};
}

}  // namespace fixkeep::certs
