// SPDX-License-Identifier: MIT
// A game requests a seat from the masters of FIX Keep, with Unreal's HTTP and Json modules. All
// clients of FIX Keep handle the answers in the same way: docs/clients.md describes it.
//
// Thread rule: game thread only, callbacks too. Bounds: LimitSeconds for one call with all its
// pauses; 64 KiB of an answer. Errors: FFixKeepResult. Fault model: masters, and balancers before
// them, may send any answer or none.
#pragma once

#include <CoreMinimal.h>
#include <Dom/JsonObject.h>

enum class EFixKeepOutcome : uint8 {
  Seat,
  Refused,  // a repetition of the same request would be refused too
  TooLate,  // the time is over; Type, Detail and Status describe the last error
  Cancelled,
  WrongUse,  // Detail says what to change
};

struct FFixKeepResult {
  EFixKeepOutcome Outcome = EFixKeepOutcome::TooLate;
  FString Detail;
  FString Type;  // such as "no-capacity", in docs/api.md; empty: no master has answered
  int32 Status = 0;
  TSharedPtr<FJsonObject> Seat;  // the answer of POST /v1/match; null without a seat
};

struct FFixKeepCall {
  TArray<FString> Masters;         // http(s)://HOST:PORT, perhaps with a path
  TSharedPtr<FJsonObject> Wanted;  // the fields of docs/api.md
  // A ticket keeps the player's age if a connection breaks or a master ends: use it for waits of
  // more than a few seconds. After TooLate it is still valid; without a resume it ends by itself.
  bool bByTicket = false;
  FString Resume;  // continues this ticket of an earlier call, without Wanted
  double LimitSeconds = 120;
  bool bKeepOrder = false;  // false: asks the masters in a random order
  // Gives the bearer token, now or later. Runs again with bRenew true after a 401.
  TFunction<void(bool bRenew, const TFunction<void(const FString& Token)>& Give)> Token;
  TFunction<double()> Random;  // tests set it: returns 0 <= x < 1
  // Runs once, and neither inside Start nor inside Cancel.
  TFunction<void(const FFixKeepResult& Result)> OnDone;
  // Receives each new state of a ticket (docs/api.md, "Tickets"): "state" (waiting, matched,
  // ready), "ticket" to store for Resume, and if the master knows them "estimate" and "why".
  TFunction<void(const TSharedRef<FJsonObject>& News)> OnChange;
};

class FFixKeepMatch {
 public:
  virtual ~FFixKeepMatch() = default;
  // The call goes on until OnDone has run, also if the game drops the pointer.
  static FIXKEEP_API TSharedRef<FFixKeepMatch> Start(const FFixKeepCall& Call);
  // Hangs up. Ends the ticket, if there is one, which takes at most five seconds.
  virtual void Cancel() = 0;
};
