// SPDX-License-Identifier: MIT
#include <FixKeepMatch.h>

#include <Containers/Ticker.h>
#include <FixKeepAnswer.h>
#include <HttpModule.h>
#include <Modules/ModuleManager.h>

// One call. Times are seconds of FPlatformTime.
class FFixKeepSearch final : public FFixKeepMatch, public TSharedFromThis<FFixKeepSearch> {
 public:
  explicit FFixKeepSearch(const FFixKeepCall& InCall) : Call(InCall), Ticket(Call.Resume) {}

  void Begin() {
    const FString Why = WrongUse();
    if (!Why.IsEmpty()) {
      WaitUntil(0, [this, Why] { Finish(Ended(EFixKeepOutcome::WrongUse, Why)); });
      return;
    }
    Ready.Init(0.0, Call.Masters.Num());
    for (int32 I = Ready.Num() - 1; I > 0 && !Call.bKeepOrder; --I) {
      Call.Masters.Swap(I, FMath::Min(static_cast<int32>(Draw() * (I + 1)), I));
    }
    WaitUntil(0, [this] { RequestToken(false); });
  }

  void Cancel() override {
    if (bCancelled || !Call.OnDone || Ready.IsEmpty()) return;
    bCancelled = true;
    Stop();
    WaitUntil(0, [this] {
      if (Ticket.IsEmpty()) {
        Finish(Cancelled());
      } else {  // if this fails, the ticket ends by itself
        Send(Holder, TEXT("DELETE"), TEXT("/v1/tickets/") + Ticket, Grace);
      }
    });
  }

 private:
  static constexpr double AnswerWait = 30;  // without wait_ms
  static constexpr double Grace = 5;        // an answer may take this beyond its wait
  static constexpr double TicketTime = 10;  // a POST of a ticket
  static constexpr int32 PollTime = 25;     // how long a master holds a poll
  static constexpr double PollPause = 1;    // after a poll that ended early, without news
  static constexpr double FirstPause = 0.5;
  static constexpr double LongestPause = 8;
  static constexpr int32 TicketLetters = 4000;

  // Returns what is wrong with the call.
  FString WrongUse() {
    for (FString& Master : Call.Masters) {
      FString Rest = Master;
      const bool bWeb =
          Rest.RemoveFromStart(TEXT("http://")) || Rest.RemoveFromStart(TEXT("https://"));
      if (!bWeb || Rest.IsEmpty() || !FFixKeepAnswer::HasOnly(Rest, Letters() + TEXT(":/[]%"))) {
        return TEXT("a master is http(s)://HOST:PORT, not ") + Master;
      }
      while (Master.RemoveFromEnd(TEXT("/"))) continue;
    }
    if (Call.Masters.IsEmpty()) return TEXT("there is no master to ask");
    if (!Ticket.IsEmpty()) return IsTicket(Ticket) ? TEXT("") : TEXT("this is no ticket");
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
      Self->Token = Given;
      // A line end in the token would add lines to the request's header.
      if (FFixKeepAnswer::HasOnly(Given, Letters() + TEXT("+/="))) return Self->AskNext();
      const TCHAR* Why = TEXT("a token has only letters, digits and -._~+/= (RFC 6750)");
      Self->Finish(Ended(EFixKeepOutcome::WrongUse, Why));
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
    Next = (At + 1) % Ready.Num();
    if (FMath::Max(Ready[At], Now) >= End) {
      Finish(Last);
    } else if (Ready[At] > Now) {
      WaitUntil(Ready[At], [this, At] { Ask(At); });
    } else {
      Ask(At);
    }
  }

  void Ask(int32 At) {
    double WaitMs = AnswerWait * 1000;
    if (Call.Wanted.IsValid()) Call.Wanted->TryGetNumberField(TEXT("wait_ms"), WaitMs);
    if (!Ticket.IsEmpty()) {
      Send(At, TEXT("GET"), TEXT("/v1/tickets/") + Ticket, PollTime + Grace);
    } else if (Call.bByTicket) {
      Send(At, TEXT("POST"), TEXT("/v1/tickets"), TicketTime);
    } else {
      const double Wait = FMath::Clamp(WaitMs / 1000, 0.0, 3600.0);
      Send(At, TEXT("POST"), TEXT("/v1/match"), Wait + Grace);
    }
  }

  void Send(int32 At, const FString& Verb, const FString& Path, double Seconds) {
    Holder = At;
    AskedAt = FPlatformTime::Seconds();
    if (!bCancelled) Seconds = FMath::Max(FMath::Min(Seconds, End - AskedAt), 0.001);
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
    Made->OnRequestProgress64().BindLambda([](FHttpRequestPtr Asked, uint64, uint64 Received) {
      if (Received > FFixKeepAnswer::MostBytes) Asked->CancelRequest();
    });
    Made->OnProcessRequestComplete().BindLambda(
        [Self = AsShared()](FHttpRequestPtr Asked, FHttpResponsePtr Response, bool bOk) {
          if (Self->Request == Asked) Self->Hear(bOk ? Response : nullptr);
        });
    Request = Made;
    if (!Made->ProcessRequest() && Request.IsValid()) Hear(nullptr);
  }

  void Hear(const FHttpResponsePtr& Response) {
    FFixKeepAnswer Answer;
    if (Response.IsValid()) Answer.Read(Request->GetURL(), *Response);
    Request.Reset();
    const bool bRenew = Answer.Status == 401 && Call.Token && !bRenewed && !bCancelled;
    bRenewed = bRenew;
    if (bCancelled) {
      Finish(Cancelled());
    } else if (bRenew) {
      Next = Holder;
      RequestToken(true);
    } else {
      const bool bTicket = Call.bByTicket || !Ticket.IsEmpty();
      const bool bTaken = bTicket ? TakeTicket(Answer) : Answer.Status == 200 && TakeSeat(Answer);
      if (!bTaken) Consider(Answer);
      if (Call.OnDone && !bCancelled) AskNext();
    }
  }

  // Each Take… returns false if the answer is not the wanted one.
  bool TakeSeat(const FFixKeepAnswer& Seat) {
    return Seat.IsSeat() && Finish({EFixKeepOutcome::Seat, TEXT(""), TEXT(""), 0, Seat.Object});
  }

  bool TakeTicket(const FFixKeepAnswer& Answer) {
    const FString Type = Answer.Type();
    if (Ticket.IsEmpty()) {
      const FString Told = Answer.Text(TEXT("ticket"));
      const bool bAgain = Type == TEXT("already-waiting");  // the answer to a POST was lost
      if (!IsTicket(Told) || !(bAgain || Answer.Status == 201)) return false;
      Ticket = Told;
      Next = Holder;
      Tries = 0;
      return bAgain || TakeState(Answer);
    }
    if (Answer.Status == 304 && !Tag.IsEmpty()) return PollAgain(Answer, State);
    if (Type != TEXT("ticket-expired")) return Answer.Status == 200 && TakeState(Answer);
    return Finish(
        Ended(EFixKeepOutcome::TooLate, Answer.Text(TEXT("detail")), Type, Answer.Status));
  }

  bool TakeState(const FFixKeepAnswer& Answer) {
    const FString Now = Answer.Text(TEXT("state"));
    const bool bExpired = Now == TEXT("expired");
    if (Now == TEXT("cancelled")) return Finish(Cancelled());
    if (bExpired || Now == TEXT("failed")) {
      const FFixKeepAnswer Problem = Answer.Member(TEXT("problem"));
      const FString Detail =
          TEXT("the ticket is ") + Now + TEXT(": ") + Problem.Text(TEXT("detail"));
      int32 Status = 0;
      Problem.Object->TryGetNumberField(TEXT("status"), Status);
      const auto Outcome = bExpired ? EFixKeepOutcome::TooLate : EFixKeepOutcome::Refused;
      return Finish(Ended(Outcome, Detail, Problem.Type(), Status));
    }
    const FFixKeepAnswer Seat = Answer.Member(TEXT("seat"));
    const bool bReady = Now == TEXT("ready") && Seat.IsSeat();
    if (!bReady && Now != TEXT("waiting") && Now != TEXT("matched")) return false;
    if (Now != State && Call.OnChange) {
      Answer.Object->SetStringField(TEXT("ticket"), Ticket);
      Call.OnChange(Answer.Object);
    }
    Tag = Answer.Tag;
    return bReady ? TakeSeat(Seat) : PollAgain(Answer, Now);
  }

  // Polls this master at once, unless it said when, or held no poll.
  bool PollAgain(const FFixKeepAnswer& Answer, const FString& Now) {
    const double Time = FPlatformTime::Seconds();
    const bool bEarly = Now == State && Time < AskedAt + PollTime / 2.0;
    const double Early = bEarly ? Time + PollPause : 0;
    const double From = Answer.After < 0 ? Early : Time + PauseAfter(Answer.After);
    for (double& One : Ready) One = FMath::Max(One, From);
    Next = Holder;
    Tries = 0;
    State = Now;
    return true;
  }

  // Handles an answer that is not the wanted one.
  void Consider(const FFixKeepAnswer& Answer) {
    const FString Type = Answer.Type();
    const int32 Status = Answer.Status;
    // Without a type the answer is no master's, but perhaps a balancer's.
    const bool bOther = Type.IsEmpty();
    const bool bElsewhere = bOther || Type == TEXT("not-ready") || Type == TEXT("stopping") ||
                            Type == TEXT("too-many-connections") || Type == TEXT("already-waiting");
    const FString Why = FString::Printf(TEXT("no answer of a master, status %d: "), Status);
    const FString Detail = bOther ? Why + Call.Masters[Holder] : Answer.Text(TEXT("detail"));
    Last = Ended(EFixKeepOutcome::TooLate, Detail, Type, bOther ? 0 : Status);
    if (!bElsewhere && Status != 408 && Status != 429 && Status < 500) {
      Last.Outcome = EFixKeepOutcome::Refused;
      Finish(Last);
      return;
    }
    const int32 Round = FMath::Min(Tries++ / Ready.Num(), 10);
    const double Usual = FMath::Min(LongestPause, FirstPause * (1 << Round)) / 1.5;
    const double Pause = Answer.After < 0 ? Usual * (1 + Draw() / 2) : PauseAfter(Answer.After);
    const double Until = FPlatformTime::Seconds() + Pause;
    for (int32 I = 0; I < Ready.Num(); ++I) {
      if (I == Holder || !bElsewhere) Ready[I] = FMath::Max(Ready[I], Until);
    }
  }

  double PauseAfter(double After) const { return FMath::Max(After, FirstPause) * (1 + Draw() / 2); }
  double Draw() const { return Call.Random ? Call.Random() : FMath::FRand(); }

  // Looks at the clock in each frame: a ticker's own delay may end a frame early.
  void WaitUntil(double Time, TFunction<void()> Then) {
    const auto Tick = [Self = AsShared(), Time, Then](float) {
      if (FPlatformTime::Seconds() < Time) return true;
      Self->Timer.Reset();
      Then();
      return false;
    };
    Timer = FTSTicker::GetCoreTicker().AddTicker(TEXT("FixKeep"), 0, Tick);
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

  bool Finish(const FFixKeepResult& Result) {
    Stop();
    const auto Done = MoveTemp(Call.OnDone);
    Call.OnDone = nullptr;  // the call has ended
    if (Done) Done(Result);
    return true;
  }

  FFixKeepCall Call;
  FString Body, Token, Ticket, State, Tag;
  FFixKeepResult Last = Ended(EFixKeepOutcome::TooLate, TEXT("no master was asked"));
  TArray<double> Ready;  // when each master may be asked again
  double End = FPlatformTime::Seconds() + Call.LimitSeconds, AskedAt = 0;
  FTSTicker::FDelegateHandle Timer;
  FHttpRequestPtr Request;
  int32 Holder = 0, Next = 0, Tries = 0, Turn = 0;
  bool bCancelled = false, bRenewed = false;
};

TSharedRef<FFixKeepMatch> FFixKeepMatch::Start(const FFixKeepCall& Call) {
  const TSharedRef<FFixKeepSearch> Search = MakeShared<FFixKeepSearch>(Call);
  Search->Begin();
  return Search;
}

IMPLEMENT_MODULE(FDefaultModuleImpl, FixKeep)
