// The games of a worker's rooms: each game's process, SDK and probes.
//
// Games performs the core's actions on games and posts the games' events to the core.
// Thread rule: one io_context and one thread; `post` is called there too. Lifetime: `settings` and
// `post` outlive Games. Bounds: one entry for each room with a process; see the members. Errors:
// open() describes them as text. A room that cannot start ends immediately.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "common/net/dial/name_lookups.hpp"
#include "common/node/start.hpp"
#include "worker/core/events.hpp"
#include "worker/runner/game_runner.hpp"
#include "worker/sdk/door.hpp"
#include "worker/sdk/room_sdk.hpp"
#include "worker/shell/game_environment.hpp"
#include "worker/shell/game_ports.hpp"
#include "worker/shell/room_log.hpp"
#include "worker/shell/room_prober.hpp"
#include "worker/shell/settings.hpp"

namespace fixkeep::worker {

class Games {
 public:
  using Post = std::function<void(Event&&)>;

  // REQUIRES: `runner` is open.
  Games(boost::asio::io_context& context, Settings& settings, std::shared_ptr<GameRunner> runner,
        Post post);
  ~Games();
  Games(const Games&) = delete;
  Games& operator=(const Games&) = delete;

  // Returns false on failure; `failure` then gives the reason.
  [[nodiscard]] bool open(node::StartFailure& failure);

  void perform(const StartProcess& action);
  void perform(const AdoptProcess& action);
  void perform(const RoomGiven& action);
  void perform(const TellMatch& action);
  void perform(const NeverWarm& action);
  void perform(const GroupRefused& action);
  void perform(const SignalProcess& action);
  void perform(const KillProcess& action);
  void perform(const LookAtGame& action);
  void perform(const AdmitPlayer& action);
  void perform(const AnswerResult& action);
  void perform(const LogPause& action);

  // Uses the games of these settings for later starts. Ignores all other settings.
  void take_over(Settings&& read);

  // Ends games of earlier runs that were not adopted.
  void end_others() { runner_->end_others(); }
  void kill_all();
  void stop();   // waits until no game runs; posts nothing afterwards
  void leave();  // games continue without the worker; posts nothing afterwards

  // Returns MasterSaid::why_not_told. Also empty for a mode that this worker does not run.
  [[nodiscard]] std::string why_not_told(const ModeName& mode, const GroupKey& group) const;
  [[nodiscard]] GameRunner& runner() const { return *runner_; }

 private:
  struct Game {
    std::unique_ptr<RoomSdk> sdk;
    StartProcess order;
    Values values;                         // values for the description's placeholders
    std::optional<wire::RoomPlace> place;  // nullopt: not known yet
    boost::asio::ip::address address = boost::asio::ip::address_v4::loopback();  // the host
    std::unique_ptr<net::NameLookups::Question> lookup;  // lookup of this host
    bool unplaced = false;                               // probed when its place is known
    bool was_open = false;                               // the room's state at its adoption
    bool begun = false;
    MatchData match_data = MatchData::fixkeep;  // the mode may go while the room stays
    bool said_ready = false;                    // may become true before the place is known
    std::unique_ptr<RoomProber> prober;         // null unless the game can be probed
  };

  // Returns why the room is not ready. Empty if the reason is unknown or the room does not exist.
  [[nodiscard]] std::string why_not_ready(RoomNumber room);
  void look_whether_players_reach(RoomNumber room, const ModeName& mode);
  // Returns the longest time for which a process of the room has waited for a processor.
  [[nodiscard]] Duration waited_for_processor(RoomNumber room) const;
  [[nodiscard]] std::optional<bool> is_connected(RoomNumber room) const;
  [[nodiscard]] const GameDescription& description_of(const ModeName& mode) const;
  [[nodiscard]] const ModeOptions& options_of(const ModeName& mode) const;
  [[nodiscard]] SessionFacts facts_of(const RoomId& room, const StartProcess& order,
                                      const wire::RoomPlace& place) const;
  RoomHandlers room_handlers(RoomNumber number);
  [[nodiscard]] FromTheRoom from_the_room(RoomNumber room) const;
  [[nodiscard]] bool open_door(node::StartFailure& failure);
  // Takes a connection from a relay beside a game. Returns why the connection is closed; empty: it
  // stays open.
  [[nodiscard]] std::string relayed(const Greeting& greeting, process::Descriptor socket);
  GameRunner::Handlers runner_handlers(RoomNumber number);
  [[nodiscard]] Result<RoomListeners> new_listeners(const GameDescription& game,
                                                    const wire::RoomPlace& place) const;
  [[nodiscard]] std::optional<RoomListeners> listeners_of(const RoomId& room,
                                                          const StartProcess& order,
                                                          const wire::RoomPlace* place);
  void placed(RoomNumber number, const wire::RoomPlace& place);
  void ask_there(RoomNumber number, const boost::asio::ip::address& address);
  probe::ProberHandlers prober_handlers(RoomNumber number, const GameDescription& game);
  // Builds the game's launch and starts the room's SDK, which then listens.
  [[nodiscard]] Launch prepare(const StartProcess& action, const wire::RoomPlace& at,
                               RoomListeners listeners);
  // REQUIRES: `game.place` is known.
  void ask(Game& game, bool is_ready);
  void go_on_with_note(RoomNumber room, const std::optional<std::string>& note);
  // Notes the room's session for the worker's next run, only one time for all changes in this turn
  // of the loop.
  void note_soon(RoomNumber room);
  void note_changed();
  void cannot_start(RoomNumber room, const std::string& why);  // this is not the game's fault
  RoomProber* prober_of(RoomNumber room);
  void has_begun(RoomNumber room);
  void said_ready(RoomNumber room);  // reported to the SDK or to the engine
  void stop_asking(RoomNumber room);
  void tell_about_programs() const;

  boost::asio::io_context& context_;
  Settings& settings_;
  Post post_;
  std::shared_ptr<GameRunner> runner_;
  GamePorts ports_;
  RoomLog log_;
  std::optional<TransportHost> sdk_;
  std::unique_ptr<SdkDoor> door_;  // accepts relays beside games
  std::map<RoomNumber, Game> games_;
  std::map<std::uint64_t, std::function<void(bool)>> questions_;
  std::map<std::uint64_t, std::function<void(ResultAnswer)>> results_;
  std::uint64_t last_question_ = 0;
  std::set<RoomNumber> changed_;  // rooms whose sessions must still be noted
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace fixkeep::worker
