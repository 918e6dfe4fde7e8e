// SPDX-License-Identifier: MIT
// A game requests a seat from the masters of FIX Keep, with Unreal's HTTP and Json modules.
//
// FFixKeepMatch asks one master after the other until one gives a seat, one refuses, the time is
// over, or the game cancels. All clients of FIX Keep handle the answers in the same way:
// docs/clients.md describes it, tests/clients/table.txt tests it.
//
// Thread rule: game thread only, also for the callbacks. Bounds: LimitSeconds for one call with all
// its pauses; 64 KiB of an answer. Errors: FFixKeepResult. Fault model: masters, and balancers
// before them, may send any answer or none.
#pragma once

#include "Containers/Ticker.h"
#include "CoreMinimal.h"
#include "Dom/JsonObject.h"
#include "Interfaces/IHttpRequest.h"

enum class EFixKeepOutcome : uint8 {
  Seat,
  Refused,  // a repetition of the same request would be refused too
  TooLate,  // the time is over; Type, Detail and Status describe the last error
  Cancelled,
  WrongUse,  // Detail says what to change
};

struct FFixKeepResult {
  EFixKeepOutcome Outcome = EFixKeepOutcome::TooLate;
  TSharedPtr<FJsonObject> Seat;  // the answer of POST /v1/match; null without a seat
  FString Type;                  // of docs/api.md, such as "no-capacity"; empty: no master's error
  FString Detail;
  int32 Status = 0;
};

using FFixKeepGiveToken = TFunction<void(const FString& Token)>;

struct FFixKeepOptions {
  // Gives the bearer token, now or later. Runs again with bRenew true after a 401.
  TFunction<void(bool bRenew, const FFixKeepGiveToken& Give)> Token;
  // The longest time of one call, with all its pauses.
  double LimitSeconds = 120;
  // True: asks the masters in the given order. False: in a random order.
  bool bKeepOrder = false;
  // Replaces the random numbers in tests: returns 0 <= x < 1.
  TFunction<double()> Random;
};

using FFixKeepOnDone = TFunction<void(const FFixKeepResult& Result)>;
// Receives a master's answer about a ticket (docs/api.md, "Tickets"): "state", "ticket", and if the
// master knows them "estimate" and "why".
using FFixKeepOnChange = TFunction<void(const TSharedRef<FJsonObject>& News)>;

// One call. It lives until OnDone has run, also without a pointer of the game. OnDone runs once,
// and neither inside the function that begins the call nor inside Cancel.
class FIXKEEP_API FFixKeepMatch : public TSharedFromThis<FFixKeepMatch> {
 public:
  // Each of `Masters` is http://HOST:PORT or https://HOST:PORT, perhaps with a path. `Wanted` has
  // the fields of docs/api.md.
  static TSharedRef<FFixKeepMatch> FindSeat(const TArray<FString>& Masters,
                                            const TSharedRef<FJsonObject>& Wanted,
                                            const FFixKeepOptions& Options, FFixKeepOnDone OnDone);
  // A ticket keeps the player's age if a connection breaks or a master ends: use it for waits of
  // more than a few seconds. OnChange hears each new state: waiting, matched, ready. Store the
  // field "ticket", and give it to Resume after a restart. After TooLate the ticket is still valid;
  // without Resume it ends by itself.
  static TSharedRef<FFixKeepMatch> FindSeatByTicket(const TArray<FString>& Masters,
                                                    const TSharedRef<FJsonObject>& Wanted,
                                                    const FFixKeepOptions& Options,
                                                    FFixKeepOnDone OnDone,
                                                    FFixKeepOnChange OnChange = nullptr);
  // Continues the ticket of an earlier FindSeatByTicket, in the same way.
  static TSharedRef<FFixKeepMatch> Resume(const TArray<FString>& Masters, const FString& Ticket,
                                          const FFixKeepOptions& Options, FFixKeepOnDone OnDone,
                                          FFixKeepOnChange OnChange = nullptr);

  // Hangs up. The call ends as Cancelled; with a ticket, it ends the ticket first, which takes at
  // most five seconds.
  void Cancel();

 private:
  struct FAnswer {
    int32 Status = 0;     // 0: no answer
    double After = -1;    // Retry-After in seconds; below 0: none
    FString Tag;          // ETag
    FString Why;          // without an answer: the reason
    TSharedPtr<FJsonObject> Object;  // empty if the answer is none: balancers send anything
  };

  static TSharedRef<FFixKeepMatch> Make(const TArray<FString>& Masters,
                                        const FFixKeepOptions& Options, FFixKeepOnDone&& OnDone,
                                        FFixKeepOnChange&& OnChange);
  void SetWanted(const TSharedRef<FJsonObject>& Wanted, bool bByTicket);
  void Begin();
  void Shuffle();
  void RequestToken(bool bRenew);
  void AskNext();
  void Ask(int32 At);
  void Send(int32 At, const FString& Verb, const FString& Path, double Seconds,
            TFunction<void(const FAnswer&)> OnAnswer);
  void Take(int32 At, const FAnswer& Answer);
  bool TakeTicket(int32 At, const FAnswer& Answer);
  bool TakeState(int32 At, const FAnswer& Answer);
  void PollAgain(int32 At, const FAnswer& Answer, const FString& Now);
  void GoOn(int32 At, double From, double After);
  void Consider(int32 At, const FAnswer& Answer);
  void PauseFor(int32 At, bool bElsewhere, const FFixKeepResult& Trouble, double After);
  double PauseAfter(double After) const;
  double Draw() const;
  void After(double Seconds, void (FFixKeepMatch::*Then)());
  void Stop();
  void Finish(const FFixKeepResult& Result);

  TArray<FString> Order;
  FFixKeepOptions Options;
  FFixKeepOnDone OnDone;
  FFixKeepOnChange OnChange;
  FString WrongUse;
  FString Body;
  bool bTicket = false;
};
