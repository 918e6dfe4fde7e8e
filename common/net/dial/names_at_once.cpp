#include "common/net/dial/names_at_once.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

namespace fixkeep::net {

// The timer always runs and keeps the round alive.
class NamesAtOnce::Round : public std::enable_shared_from_this<Round> {
 public:
  Round(const boost::asio::any_io_executor& executor, std::size_t names, Told told)
      : executor_(executor),
        limit_(executor),
        told_(std::move(told)),
        answers_(names, {boost::asio::error::host_not_found_try_again, {}}),
        missing_(names) {}

  void start(NameLookups& lookups, const std::vector<std::string>& names,
             std::chrono::milliseconds limit) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      questions_.push_back(lookups.ask(executor_, names[i], [this, i](const LookupAnswer& answer) {
        answers_[i] = answer;
        if (--missing_ == 0) end();
      }));
    }
    limit_.expires_after(missing_ == 0 ? std::chrono::milliseconds{0} : limit);
    limit_.async_wait([self = shared_from_this()](boost::system::error_code) { self->end(); });
  }

  void drop() {
    told_ = {};
    questions_.clear();
    limit_.cancel();
  }

 private:
  void end() {
    if (!told_) return;
    const auto self = shared_from_this();
    const auto told = std::exchange(told_, {});
    drop();
    told(answers_);
  }

  boost::asio::any_io_executor executor_;
  boost::asio::steady_timer limit_;
  Told told_;  // empty: the round has ended
  std::vector<LookupAnswer> answers_;
  std::size_t missing_;
  std::vector<std::unique_ptr<NameLookups::Question>> questions_;
};

NamesAtOnce::NamesAtOnce(const boost::asio::any_io_executor& executor,
                         const std::vector<std::string>& names, std::chrono::milliseconds limit,
                         Told told, NameLookups& lookups) {
  const auto round = std::make_shared<Round>(executor, names.size(), std::move(told));
  round->start(lookups, names, limit);
  round_ = round;
}

NamesAtOnce::~NamesAtOnce() {
  if (const auto round = round_.lock()) round->drop();
}

}  // namespace fixkeep::net
