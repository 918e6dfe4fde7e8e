// SPDX-License-Identifier: MIT
#include "FixKeepMatch.h"

#include "Containers/Ticker.h"
#include "FixKeepAnswer.h"
#include "HttpModule.h"
#include "Modules/ModuleManager.h"

IMPLEMENT_MODULE(FDefaultModuleImpl, FixKeep)

// One call. Times are seconds of FPlatformTime; pauses and waits are seconds.
class FFixKeepSearch final : public FFixKeepMatch, public TSharedFromThis<FFixKeepSearch> {
 public:
  explicit FFixKeepSearch(const FFixKeepCall& InCall)
      : Call(InCall),
        Ticket(Call.Resume),
        bByTicket(Call.bByTicket || !Ticket.IsEmpty()),
        End(FPlatformTime::Seconds() + Call.LimitSeconds) {}

  void Begin() {
    WaitUntil(0, [this] {
      const FString Why = WrongUse();
      if (!Why.IsEmpty()) return Finish(Ended(EFixKeepOutcome::WrongUse, Why));
      if (bCancelled) return EndTicket();
      Ready.Init(0.0, Call.Masters.Num());
      for (int32 I = Ready.Num() - 1; I > 0 && !Call.bKeepOrder; --I) {
        Call.Masters.Swap(I, FMath::Min(static_cast<int32>(Draw() * (I + 1)), I));
      }
      RequestToken(false);
    });
  }

  void Cancel() override {
    const bool bBegun = Ready.Num() > 0;
    if (bCancelled || !Call.OnDone) return;
    bCancelled = true;
    if (!bBegun) return;
    Stop();
    WaitUntil(0, [this] { EndTicket(); });
  }

 private:
  static constexpr double AnswerTime = 35;  // without wait_ms
  static constexpr double Grace = 5;        // what an answer may take beyond its wait
  static constexpr double TicketTime = 10;  // to make a ticket
  static constexpr int32 PollTime = 25;     // how long a master holds a poll
  static constexpr double PollPause = 1;    // after a poll that ended early, without news
  static constexpr double FirstPause = 0.5;
  static constexpr double LongestPause = 8;
  static constexpr int32 TicketLetters = 4000;

  // Returns what is wrong with the call.
  FString WrongUse() {
    if (Call.Masters.IsEmpty()) return TEXT("there is no master to ask");
    for (FString& Master : Call.Masters) {
      FString Rest = Master;
      const bool bWeb =
          Rest.RemoveFromStart(TEXT("http://")) || Rest.RemoveFromStart(TEXT("https://"));
      if (!bWeb || Rest.IsEmpty() || !FFixKeepAnswer::HasOnly(Rest, Letters() + TEXT(":/[]%"))) {
        return TEXT("a master is http(s)://HOST:PORT, not ") + Master;
      }
      while (Master.RemoveFromEnd(TEXT("/"))) continue;
    }
    if (!Call.Resume.IsEmpty()) return IsTicket(Ticket) ? TEXT("") : TEXT("this is no ticket");
    if (!Call.Wanted.IsValid()) return TEXT("there is no request: set Wanted");
    FJsonSerializer::Serialize(Call.Wanted.ToSharedRef(), TJsonWriterFactory<>::Create(&Body));
    return FString();
  }

  static FString Letters() {
    return TEXT("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~");
  }

  // Returns whether the text can stand in a path as it is.
  static bool IsTicket(const FString& Text) {
    return !Text.IsEmpty() && Text.Len() <= TicketLetters &&
           FFixKeepAnswer::HasOnly(Text, Letters());
  }

  void RequestToken(bool bRenew) {
    if (!Call.Token) return AskNext();
    WaitUntil(End, [this] { Finish(Last); });
    Call.Token(bRenew, [Self = AsShared(), Mine = ++Turn](const FString& Given) {
      if (Self->Turn != Mine) return;  // given twice, or too late
      Self->Stop();
      // A line end in the token would add lines to the request's header.
      if (FFixKeepAnswer::HasOnly(Given, Letters() + TEXT("+/="))) {
        Self->Token = Given;
        Self->AskNext();
      } else {
        const TCHAR* Why = TEXT("a token has only letters, digits and -._~+/= (RFC 6750)");
        Self->Finish(Ended(EFixKeepOutcome::WrongUse, Why));
      }
    });
  }

  // Asks the next master that may be asked, once it may.
  void AskNext() {
    const double Now = FPlatformTime::Seconds();
    int32 At = Next;
    for (int32 I = 1; I < Ready.Num() && Ready[At] > Now; ++I) {
      const int32 Other = (Next + I) % Ready.Num();
      if (Ready[Other] < Ready[At]) At = Other;
    }
    if (FMath::Max(Ready[At], Now) >= End) return Finish(Last);
    Next = (At + 1) % Ready.Num();
    if (Ready[At] <= Now) return Ask(At);
    WaitUntil(Ready[At], [this, At] { Ask(At); });
  }

  void Ask(int32 At) {
    AskedAt = FPlatformTime::Seconds();
    const double Left = FMath::Max(End - AskedAt, 0.001);
    double WaitMs = (AnswerTime - Grace) * 1000;
    if (!bByTicket) {
      Call.Wanted->TryGetNumberField(TEXT("wait_ms"), WaitMs);
      const double Time = FMath::Clamp(WaitMs / 1000, 0.0, 3600.0) + Grace;
      Send(At, TEXT("POST"), TEXT("/v1/match"), FMath::Min(Time, Left));
    } else if (Ticket.IsEmpty()) {
      Send(At, TEXT("POST"), TEXT("/v1/tickets"), FMath::Min(TicketTime, Left));
    } else {
      Send(At, TEXT("GET"), TEXT("/v1/tickets/") + Ticket, FMath::Min(PollTime + Grace, Left));
    }
  }

  void Send(int32 At, const FString& Verb, const FString& Path, double Seconds) {
    const FHttpRequestRef Made = FHttpModule::Get().CreateRequest();
    Made->SetVerb(Verb);
    Made->SetURL(Call.Masters[At] + Path);
    Made->SetHeader(TEXT("Accept"), TEXT("application/json"));
    if (!Token.IsEmpty()) Made->SetHeader(TEXT("Authorization"), TEXT("Bearer ") + Token);
    if (Verb == TEXT("POST")) {
      Made->SetHeader(TEXT("Content-Type"), TEXT("application/json"));
      Made->SetContentAsString(Body);
    } else if (Verb == TEXT("GET")) {
      // The master answers the first poll of a resumed ticket immediately, with the state.
      const FString Wait = FString::Printf(TEXT("wait=%d"), PollTime);
      if (!State.IsEmpty()) Made->SetHeader(TEXT("Prefer"), Wait);
      if (!Tag.IsEmpty()) Made->SetHeader(TEXT("If-None-Match"), Tag);
    }
    Made->SetTimeout(static_cast<float>(Seconds));
    // Unreal's default would end a silent wait after 30 s.
    Made->SetActivityTimeout(static_cast<float>(Seconds));
    Made->OnHeaderReceived().BindLambda(
        [Left = FFixKeepAnswer::MostBytes](FHttpRequestPtr Asked, const FString& Name,
                                           const FString& Value) mutable {
          if ((Left -= Name.Len() + Value.Len()) < 0) Asked->CancelRequest();
        });
    Made->OnRequestProgress64().BindLambda([](FHttpRequestPtr Asked, uint64, uint64 Received) {
      if (Received > FFixKeepAnswer::MostBytes) Asked->CancelRequest();
    });
    Made->OnProcessRequestComplete().BindLambda(
        [Self = AsShared(), At](FHttpRequestPtr Asked, FHttpResponsePtr Response, bool bOk) {
          if (Self->Request == Asked) Self->Hear(At, bOk ? Response : nullptr);
        });
    Holder = At;
    Request = Made;
    if (!Made->ProcessRequest() && Request.IsValid()) Hear(At, nullptr);
  }

  void Hear(int32 At, const FHttpResponsePtr& Response) {
    FFixKeepAnswer Answer;
    if (Response.IsValid()) Answer.Read(Request->GetURL(), *Response);
    Request.Reset();
    if (bCancelled) return Finish(Cancelled());
    if (Answer.Status == 401 && Call.Token && !bRenewed) {
      bRenewed = true;
      Next = At;
      return RequestToken(true);
    }
    bRenewed = false;
    const bool bTaken = bByTicket ? TakeTicket(At, Answer) : TakeSeat(Answer);
    if (!bTaken) Consider(At, Answer);
    if (Call.OnDone && !bCancelled) AskNext();
  }

  // Each Take… returns false if the answer is not the wanted one.
  bool TakeSeat(const FFixKeepAnswer& Answer) {
    if (Answer.Status != 200 || !FFixKeepAnswer::IsSeat(*Answer.Object)) return false;
    Finish({EFixKeepOutcome::Seat, FString(), FString(), 0, Answer.Object});
    return true;
  }

  bool TakeTicket(int32 At, const FFixKeepAnswer& Answer) {
    const FString Type = FFixKeepAnswer::TypeOf(*Answer.Object);
    if (Ticket.IsEmpty()) {
      const FString Told = Answer.Text(TEXT("ticket"));
      const bool bAgain = Type == TEXT("already-waiting");
      if (!IsTicket(Told) || !(bAgain || Answer.Status == 201)) return false;
      Ticket = Told;
      if (!bAgain) return TakeState(At, Answer);
      GoOn(At, 0, -1);  // the answer to an earlier POST was lost
      return true;
    }
    if (Answer.Status == 304 && !Tag.IsEmpty()) return PollAgain(At, Answer, State);
    if (Type != TEXT("ticket-expired")) return Answer.Status == 200 && TakeState(At, Answer);
    Finish(Ended(EFixKeepOutcome::TooLate, Answer.Text(TEXT("detail")), Type, Answer.Status));
    return true;
  }

  bool TakeState(int32 At, const FFixKeepAnswer& Answer) {
    const FString Now = Answer.Text(TEXT("state"));
    const TSharedRef<FJsonObject> Seat = Answer.Member(TEXT("seat"));
    const bool bReady = Now == TEXT("ready") && FFixKeepAnswer::IsSeat(*Seat);
    if (Now == TEXT("cancelled")) Finish(Cancelled());
    if (Now == TEXT("expired")) Finish(ProblemOf(Answer, EFixKeepOutcome::TooLate));
    if (Now == TEXT("failed")) Finish(ProblemOf(Answer, EFixKeepOutcome::Refused));
    if (!Call.OnDone) return true;
    if (!bReady && Now != TEXT("waiting") && Now != TEXT("matched")) return false;
    if (Now != State && Call.OnChange) {
      Answer.Object->SetStringField(TEXT("ticket"), Ticket);
      Call.OnChange(Answer.Object);
    }
    if (!bReady) {
      Tag = Answer.Tag;
      return PollAgain(At, Answer, Now);
    }
    Finish({EFixKeepOutcome::Seat, FString(), FString(), 0, Seat});
    return true;
  }

  static FFixKeepResult ProblemOf(const FFixKeepAnswer& Answer, EFixKeepOutcome Outcome) {
    const TSharedRef<FJsonObject> Problem = Answer.Member(TEXT("problem"));
    FString Detail = FFixKeepAnswer::TextOf(*Problem, TEXT("detail"));
    if (Detail.IsEmpty()) Detail = TEXT("the ticket has ended");
    int32 Status = 0;
    Problem->TryGetNumberField(TEXT("status"), Status);
    return Ended(Outcome, Detail, FFixKeepAnswer::TypeOf(*Problem), Status);
  }

  // At once, unless the master said when, or held no poll.
  bool PollAgain(int32 At, const FFixKeepAnswer& Answer, const FString& Now) {
    const double Time = FPlatformTime::Seconds();
    const bool bEarly = Now == State && Time < AskedAt + PollTime / 2.0;
    GoOn(At, bEarly ? Time + PollPause : 0, Answer.After);
    State = Now;
    return true;
  }

  // Asks this master again, at `From` or after the time that the master named.
  void GoOn(int32 At, double From, double After) {
    if (After >= 0) From = FPlatformTime::Seconds() + PauseAfter(After);
    for (double& Time : Ready) Time = FMath::Max(Time, From);
    Next = At;
    Tries = 0;
  }

  // Handles an answer that is not the wanted one.
  void Consider(int32 At, const FFixKeepAnswer& Answer) {
    const FString Type = FFixKeepAnswer::TypeOf(*Answer.Object);
    const int32 Status = Answer.Status;
    // Without a type the answer is no master's, but perhaps a balancer's.
    const bool bElsewhere = Type.IsEmpty() || Type == TEXT("not-ready") ||
                            Type == TEXT("stopping") || Type == TEXT("too-many-connections") ||
                            Type == TEXT("already-waiting");
    Last = Ended(EFixKeepOutcome::TooLate, Answer.Text(TEXT("detail")), Type, Status);
    if (Type.IsEmpty()) {
      const FString Why = FString::Printf(TEXT("no answer of a master, status %d: "), Status);
      Last = Ended(EFixKeepOutcome::TooLate, Why + Call.Masters[At]);
    } else if (!bElsewhere && Status != 408 && Status != 429 && Status < 500) {
      Last.Outcome = EFixKeepOutcome::Refused;
      return Finish(Last);
    }
    const int32 Round = FMath::Min(Tries++ / Ready.Num(), 10);
    const double Usual = FMath::Min(LongestPause, FirstPause * (1 << Round)) / 1.5;
    const double Pause = Answer.After < 0 ? Usual * (1 + Draw() / 2) : PauseAfter(Answer.After);
    const double Until = FPlatformTime::Seconds() + Pause;
    for (int32 I = 0; I < Ready.Num(); ++I) {
      if (I == At || !bElsewhere) Ready[I] = FMath::Max(Ready[I], Until);
    }
  }

  double PauseAfter(double After) const { return FMath::Max(After, FirstPause) * (1 + Draw() / 2); }
  double Draw() const { return Call.Random ? Call.Random() : FMath::FRand(); }

  // Looks at the clock in each frame: a ticker's own delay may end a frame early.
  void WaitUntil(double Time, TFunction<void()> Then) {
    Timer = FTSTicker::GetCoreTicker().AddTicker(TEXT("FixKeep"), 0,
                                                 [Self = AsShared(), Time, Then](float) {
                                                   if (FPlatformTime::Seconds() < Time) return true;
                                                   Self->Timer.Reset();
                                                   Then();
                                                   return false;
                                                 });
  }

  void Stop() {
    ++Turn;
    if (Timer.IsValid()) FTSTicker::RemoveTicker(Timer);
    Timer.Reset();
    const FHttpRequestPtr Held = Request;
    Request.Reset();
    if (Held.IsValid()) Held->CancelRequest();
  }

  static FFixKeepResult Ended(EFixKeepOutcome Outcome, const FString& Detail,
                              const FString& Type = FString(), int32 Status = 0) {
    return {Outcome, Detail, Type, Status, nullptr};
  }

  static FFixKeepResult Cancelled() { return Ended(EFixKeepOutcome::Cancelled, TEXT("cancelled")); }

  // If the request fails, the ticket ends by itself.
  void EndTicket() {
    if (Ticket.IsEmpty()) return Finish(Cancelled());
    Send(Holder, TEXT("DELETE"), TEXT("/v1/tickets/") + Ticket, Grace);
  }

  void Finish(const FFixKeepResult& Result) {
    Stop();
    const auto Done = MoveTemp(Call.OnDone);
    Call.OnDone = nullptr;  // the call has ended
    Done(Result);
  }

  FFixKeepCall Call;
  FString Body, Token, Ticket, State, Tag;
  bool bByTicket, bCancelled = false, bRenewed = false;
  double End, AskedAt = 0;
  TArray<double> Ready;  // when each master may be asked again
  FFixKeepResult Last = Ended(EFixKeepOutcome::TooLate, TEXT("no master was asked"));
  FTSTicker::FDelegateHandle Timer;
  FHttpRequestPtr Request;
  int32 Holder = 0, Next = 0, Tries = 0, Turn = 0;
};

TSharedRef<FFixKeepMatch> FFixKeepMatch::Start(const FFixKeepCall& Call) {
  const TSharedRef<FFixKeepSearch> Search = MakeShared<FFixKeepSearch>(Call);
  Search->Begin();
  return Search;
}
