// Bundles are other people's files: an entry that cannot be read hides none of those behind it.
#include "common/net/tls/certificate_files.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "common/certs/authority.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::net {
namespace {

class CertificateFilesTest : public ::testing::Test {
 protected:
  // A file whose first block cannot be read.
  std::string file_of(const std::string& kind, const std::string& sound) {
    const auto path = (folder_.path() / "bundle.pem").string();
    std::ofstream{path} << "-----BEGIN " << kind << "-----\nAAAA\n-----END " << kind << "-----\n"
                        << sound;
    return path;
  }
  static certs::Authority authority() {
    using namespace std::chrono;
    const auto now = floor<seconds>(system_clock::now());
    return certs::Authority::make("test", {now, now + hours{1}});
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(CertificateFilesTest, a_certificate_that_cannot_be_read_hides_none_behind_it) {
  const auto read = read_certificates(file_of("CERTIFICATE", authority().to_pair().certificate));
  ASSERT_EQ(read.index(), 0U) << std::get<1>(read);
  EXPECT_EQ(std::get<0>(read).size(), 1U);
}

// What it revokes is not known, so the lists from before stay in force.
TEST_F(CertificateFilesTest, a_list_of_revoked_ones_that_cannot_be_read_is_refused) {
  const auto list = authority().revoke("", {"0A"}, std::chrono::sys_seconds{});
  const auto read = read_revocation_lists(file_of("X509 CRL", list.value()));
  ASSERT_EQ(read.index(), 1U);
  EXPECT_TRUE(std::get<1>(read).ends_with(
      "bundle.pem has a list of revoked certificates that cannot be read"))
      << std::get<1>(read);
}

}  // namespace
}  // namespace fixkeep::net
