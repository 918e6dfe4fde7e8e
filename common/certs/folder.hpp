// A folder with the certificates of one cluster.
//
//   authority.pem  authority.key     the authority; never copy its key to a node
//   m1.pem         m1.key            for a node, together with authority.pem
//   revoked.crl                      revoked certificates, signed by the authority
//   issued.txt                       serial and name of each certificate
//
// A private file is created with its final mode. A file is replaced in one step. Thread rule: one
// owner. Bounds: a few KiB a file. Errors: one sentence that names the file and the necessary
// change.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/certs/authority.hpp"

namespace fixkeep::certs {

class CertificateFolder {
 public:
  explicit CertificateFolder(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] std::string certificate_file(const std::string& name) const;
  [[nodiscard]] std::string key_file(const std::string& name) const;

  // Makes the folder, and an authority in it. Error: the folder already has an authority.
  [[nodiscard]] std::string init(const std::string& cluster, std::chrono::days valid) const;
  [[nodiscard]] std::variant<Authority, std::string> authority() const;
  // Makes the files of a node in the authority's cluster. Existing files are an error unless
  // `replace` is set.
  [[nodiscard]] std::string add_node(const Authority& authority, net::Role role,
                                     const std::string& name, std::chrono::days valid,
                                     bool replace) const;

  // Revokes all certificates made for this node and removes its files. Returns the number of
  // certificates.
  [[nodiscard]] std::variant<std::size_t, std::string> revoke(const Authority& authority,
                                                              const std::string& name) const;
  [[nodiscard]] std::string revocations_file() const { return path_ + "/revoked.crl"; }

  struct Entry {
    std::string name;  // file name without ".pem"
    CertificateFacts facts;
  };
  // Lists the certificates of all nodes, sorted by name. Omits files that are not certificates of
  // nodes.
  [[nodiscard]] std::variant<std::vector<Entry>, std::string> nodes() const;

 private:
  [[nodiscard]] std::string issued_file() const { return path_ + "/issued.txt"; }
  [[nodiscard]] std::string remember(const std::string& name, const std::string& certificate) const;
  [[nodiscard]] std::variant<std::set<std::string>, std::string> serials_of(
      const std::string& name) const;
  [[nodiscard]] std::string write(const std::string& name, const KeyPair& pair, bool replace) const;

  std::string path_;
};

}  // namespace fixkeep::certs
