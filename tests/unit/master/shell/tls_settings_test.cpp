// The sections "tls", "http.tls" and "lock.tls" of a master's configuration.
#include <gmock/gmock.h>

#include "tests/unit/master/shell/settings_files.hpp"

namespace fixkeep::master {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(MasterSettings, off_the_loopback_device_need_certificates_or_plain_words) {
  Files files;
  const auto config = files.write("m.json", minimal);
  for (const char* address : {"0.0.0.0:7102", "10.0.0.7:7102", "[fd00::1]:7102", "m2:7102"}) {
    EXPECT_THAT(lines(load(config, {std::string{"mesh.listen="} + address})),
                ElementsAre(HasSubstr("mesh.listen: is not on the loopback device")));
    EXPECT_THAT(lines(load(config, {std::string{"mesh.listen="} + address,
                                    "tls.without=on-a-network-that-i-trust"})),
                IsEmpty());
  }
  for (const char* address : {"127.0.0.9:7102", "[::1]:7102", "localhost:7102"}) {
    EXPECT_THAT(lines(load(config, {std::string{"mesh.listen="} + address})), IsEmpty());
  }
  EXPECT_THAT(lines(load(config, {"tls.key=m1.key"})),
              ElementsAre(HasSubstr("tls.authority: is missing"),
                          HasSubstr("tls.certificate: is missing")));
  EXPECT_THAT(lines(load(config, {"tls.authority=no", "tls.certificate=such", "tls.key=files"})),
              ElementsAre(HasSubstr("tls.certificate: cannot read no: No such file")));
}

TEST(MasterSettings, of_revoked_certificates_need_an_authority_that_has_signed_the_list) {
  Files files;
  const auto config = files.write("m.json", minimal);
  EXPECT_THAT(lines(load(config, {"tls.revoked=revoked.crl"})),
              ElementsAre(HasSubstr("tls.authority: is missing: it has to have signed")));
}

TEST(MasterSettings, of_https_need_a_certificate_and_its_key) {
  Files files;
  const auto config = files.write("m.json", minimal);
  EXPECT_THAT(lines(load(config, {"http.tls.key=m1.key"})),
              ElementsAre(HasSubstr("http.tls.certificate: is missing: certificate and key")));
  EXPECT_THAT(lines(load(config, {"http.tls.certificate=no", "http.tls.key=such"})),
              ElementsAre(HasSubstr("http.tls.certificate: cannot read ")));
}

TEST(MasterSettings, of_tls_to_lock_servers_need_an_authority) {
  Files files;
  const auto config = files.write("m.json", minimal);
  EXPECT_THAT(lines(load(config, {"lock.tls.certificate=m1.pem"})),
              ElementsAre(HasSubstr("lock.tls.key: is missing: certificate and key")));
  EXPECT_THAT(lines(load(config, {"lock.tls.certificate=m1.pem", "lock.tls.key=m1.key"})),
              ElementsAre(HasSubstr("lock.tls.authority: is missing")));
  EXPECT_THAT(lines(load(config, {"lock.tls.authority=no.pem"})),
              ElementsAre(HasSubstr("lock.tls.authority: cannot read ")));
  EXPECT_THAT(lines(load(config, {"lock.strategy=zookeeper", R"(lock.servers=["127.0.0.1:2181"])",
                                  "lock.tls.authority=any.pem"})),
              ElementsAre(HasSubstr("lock.tls.authority: must be empty for zookeeper")));
}

TEST(MasterSettings, of_lock_servers_take_their_password_from_one_place) {
  Files files;
  const auto config = files.write("m.json", minimal);
  const auto file = files.write("password", " short\n");
  const auto loaded = load(config, {"lock.password_file=" + file});
  ASSERT_THAT(lines(loaded), IsEmpty());
  EXPECT_EQ(std::get<Settings>(loaded).engine.password, "short");
  EXPECT_THAT(to_json(std::get<Settings>(loaded)).dump(), ::testing::Not(HasSubstr("short")));
  EXPECT_EQ(std::get<Settings>(load(config, {}, {"FIXKEEP_LOCK_PASSWORD=p"})).engine.password, "p");
  EXPECT_THAT(lines(load(config, {"lock.password=p"})),
              ElementsAre(HasSubstr("lock.password: is not taken from the command line")));
  EXPECT_THAT(
      lines(load(config, {"lock.password_file=" + file}, {"FIXKEEP_LOCK_PASSWORD_FILE=" + file})),
      IsEmpty());
  EXPECT_THAT(lines(load(config, {"lock.password_file=" + files.write("empty", "\n")})),
              ElementsAre(HasSubstr("a file with a secret of at least 1 characters, has 0")));
}

}  // namespace
}  // namespace fixkeep::master
