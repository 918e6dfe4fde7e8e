// Drives clients/unreal for tests/clients/run.py, whose head says what FIXKEEP_CALL has.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <Containers/Ticker.h>
#include <FixKeepMatch.h>
#include <HttpModule.h>
#include <Serialization/JsonSerializer.h>
#include <Texts.h>

namespace {

TSharedRef<FJsonObject> Read(const std::string& Text) {
  TSharedPtr<FJsonObject> Object;
  FJsonSerializer::Deserialize(TJsonReaderFactory<>::Create(Wide(Text)), Object);
  return Object.ToSharedRef();
}

void Print(const TSharedRef<FJsonObject>& Object) {
  FString Line;
  FJsonSerializer::Serialize(Object, TJsonWriterFactory<>::Create(&Line));
  std::cout << Narrow(Line) << std::endl;
}

TArray<FString> TextsOf(const TSharedPtr<FJsonValue>& From) {
  TArray<FString> Texts;
  for (const auto& Element : From->Elements) Texts.Add(Element->AsString());
  return Texts;
}

// A frame of the game.
void Frame() {
  static double Before = FPlatformTime::Seconds();
  const double Now = FPlatformTime::Seconds();
  const auto Delta = static_cast<float>(Now - std::exchange(Before, Now));
  FHttpModule::Get().GetHttpManager().Tick(Delta);
  FTSTicker::GetCoreTicker().Tick(Delta);
}

FFixKeepCall CallOf(const FJsonObject& From) {
  FFixKeepCall Call;
  const TSharedPtr<FJsonObject>* Wanted = nullptr;
  Call.Masters = TextsOf(From.TryGetField(TEXT("masters")));
  if (From.TryGetObjectField(TEXT("wanted"), Wanted)) Call.Wanted = *Wanted;
  Call.bByTicket = From.TryGetField(TEXT("ticket")).IsValid();
  Call.Resume = From.GetStringField(TEXT("resume"));
  Call.LimitSeconds = From.GetNumberField(TEXT("limit_ms")) / 1000;
  Call.bKeepOrder = From.TryGetField(TEXT("keep_order"))->bValue;
  double Drawn = 0;
  if (From.TryGetNumberField(TEXT("random"), Drawn)) Call.Random = [Drawn] { return Drawn; };
  const TSharedPtr<FJsonValue> Tokens = From.TryGetField(TEXT("tokens"));
  if (Tokens.IsValid()) {
    // The first token comes at once, the others a frame later; each comes twice.
    Call.Token = [Left = TextsOf(Tokens)](bool bRenew,
                                          const TFunction<void(const FString&)>& Give) mutable {
      const auto GiveTwice = [Give, Token = Left[0]](float) {
        Give(Token);
        Give(TEXT("given-twice"));
        return false;
      };
      if (Left.Num() > 1) Left.RemoveAt(0);
      if (!bRenew) {
        GiveTwice(0);
      } else {
        FTSTicker::GetCoreTicker().AddTicker(TEXT("driver"), 0, GiveTwice);
      }
    };
  }
  return Call;
}

const TCHAR* NameOf(EFixKeepOutcome Outcome) {
  switch (Outcome) {
    case EFixKeepOutcome::Seat: return TEXT("seat");
    case EFixKeepOutcome::Refused: return TEXT("refused");
    case EFixKeepOutcome::TooLate: return TEXT("too-late");
    case EFixKeepOutcome::Cancelled: return TEXT("cancelled");
    case EFixKeepOutcome::WrongUse: break;
  }
  return TEXT("wrong-use");
}

// One call, from its first frame to its last.
TSharedRef<FJsonObject> Play(FFixKeepCall Call, const std::string& CancelFile) {
  const TSharedRef<FJsonObject> Line = MakeShared<FJsonObject>();
  TArray<TSharedPtr<FJsonValue>> Told;
  bool bDone = false;
  Call.OnDone = [&](const FFixKeepResult& Result) {
    Line->SetStringField(TEXT("outcome"), NameOf(Result.Outcome));
    Line->SetStringField(TEXT("type"), Result.Type);
    Line->SetStringField(TEXT("detail"), Result.Detail);
    Line->SetNumberField(TEXT("status"), Result.Status);
    if (Result.Seat.IsValid()) Line->SetObjectField(TEXT("seat"), Result.Seat);
    bDone = true;
  };
  Call.OnChange = [&](const TSharedRef<FJsonObject>& News) {
    const TSharedRef<FJsonValue> Heard = MakeShared<FJsonValue>();
    Heard->Type = EJson::Object;
    Heard->Object = News;
    Told.Add(Heard);
  };
  const double Began = FPlatformTime::Seconds();
  const TSharedRef<FFixKeepMatch> Match = FFixKeepMatch::Start(Call);
  while (!bDone) {
    if (!CancelFile.empty() && std::filesystem::exists(CancelFile)) Match->Cancel();
    Frame();
  }
  Line->SetNumberField(TEXT("took_ms"), (FPlatformTime::Seconds() - Began) * 1000);
  Line->SetArrayField(TEXT("told"), Told);
  return Line;
}

}  // namespace

int main() {
  const TSharedRef<FJsonObject> Said = Read(std::getenv("FIXKEEP_CALL"));
  const FFixKeepCall Call = CallOf(*Said);
  const std::string CancelFile = Narrow(Said->GetStringField(TEXT("cancel_file")));
  for (double Left = Said->GetNumberField(TEXT("calls")); Left > 0; --Left) {
    Print(Play(Call, CancelFile));
  }
  const double End = FPlatformTime::Seconds() + Said->GetNumberField(TEXT("linger_ms")) / 1000;
  while (FPlatformTime::Seconds() < End) Frame();
}
