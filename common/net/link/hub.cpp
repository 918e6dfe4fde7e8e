#include "common/net/link/hub.hpp"

#include "common/net/link/hub_internals.hpp"
#include "common/wire/codec.hpp"

namespace fixkeep::net {
namespace {

bool send_on(LinkConnection* link, const wire::Message& message) {
  return link != nullptr && link->established && link->send(message);
}

void shut(LinkConnection* link, boost::system::error_code reason) {
  if (link == nullptr) return;
  const auto told = static_cast<Errc>(reason.value());
  if (reason.category() == fixkeep_category() && wire::is_told(told)) {
    if (link->send(wire::closing_frame(told))) link->write();
  }
  link->shut(reason);  // the reader of the link reports it as down
}

}  // namespace

LinkHub::LinkHub(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
LinkHub::~LinkHub() {
  impl_->orphan();
}

Result<std::unique_ptr<LinkHub>> LinkHub::start(boost::asio::io_context& context,
                                                LinkOptions options, LinkHandlers handlers) {
  auto impl = std::make_shared<Impl>(context, std::move(options), std::move(handlers));
  if (const auto listening = impl->listen(); !listening) return listening.error();
  impl->start();
  return std::unique_ptr<LinkHub>{new LinkHub{std::move(impl)}};
}

void LinkHub::dial(LinkTarget target) {
  impl_->dial(std::move(target));
}
void LinkHub::dial_only(const std::vector<LinkTarget>& targets) {
  impl_->dial_only(targets);
}
void LinkHub::know(std::vector<std::string> masters) {
  impl_->know(std::move(masters));
}
bool LinkHub::send(Role role, const std::string& name, LinkNumber link,
                   const wire::Message& message) {
  return link != LinkNumber::none && send_on(impl_->find(role, name, link), message);
}
bool LinkHub::send(Role role, const std::string& name, const wire::Message& message) {
  return send_on(impl_->find(role, name, LinkNumber::none), message);
}
void LinkHub::flush() {
  impl_->flush();
}
void LinkHub::close(Role role, const std::string& name, LinkNumber link,
                    boost::system::error_code reason) {
  if (link != LinkNumber::none) shut(impl_->find(role, name, link), reason);
}
void LinkHub::close(Role role, const std::string& name, boost::system::error_code reason) {
  shut(impl_->find(role, name, LinkNumber::none), reason);
}
void LinkHub::renew(std::shared_ptr<TlsCredentials> tls) {
  impl_->renew(std::move(tls));
}
void LinkHub::admit(std::string admits) {
  impl_->admit(std::move(admits));
}

void LinkHub::stop(std::chrono::milliseconds limit) {
  impl_->stop(limit);
}
std::uint16_t LinkHub::port() const {
  return impl_->port();
}
const LinkCounters& LinkHub::counters() const {
  return impl_->counters();
}

}  // namespace fixkeep::net
