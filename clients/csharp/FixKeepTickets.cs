// SPDX-License-Identifier: MIT
// The part of FixKeepClient.cs about tickets: one call of FindSeatByTicketAsync or ResumeAsync. It
// makes a ticket, unless it has one, and polls it, at one master as long as that answers.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace FixKeep
{
  sealed class TicketSearch : Search
  {
    const int TicketMs = 10000;    // to make a ticket
    const int PollS = 25;          // how long a master holds a poll
    const int GraceMs = 5000;      // what its answer may take beyond that
    const int PollPauseMs = 1000;  // after a poll that ended without news before half of its time
    const int Letters = 4000;

    readonly byte[] body;
    readonly Action<Dictionary<string, object>> onChange;
    string ticket;                // null: it is not made yet
    string state = "", tag = "";  // that the master has told last
    int holder;
    double askedAtMs;

    public TicketSearch(byte[] body, string ticket, Action<Dictionary<string, object>> onChange)
    {
      this.body = body;
      this.ticket = ticket;
      this.onChange = onChange;
    }

    // Whether it can stand in a path as it is.
    public static bool IsTicket(string text)
    {
      Func<char, bool> fits =
        c => c < 128 && (char.IsLetterOrDigit(c) || "-._~".IndexOf(c) >= 0);
      return text != null && text.Length > 0 && text.Length <= Letters && text.All(fits);
    }

    public async Task<Dictionary<string, object>> Run()
    {
      try
      {
        return await Asking.Run(this);
      }
      catch (MatchException error) when (error.Outcome == MatchOutcome.Cancelled)
      {
        await Delete();
        throw;
      }
    }

    public override HttpCall Call(int at)
    {
      holder = at;
      askedAtMs = Asking.NowMs;
      if (ticket == null)
        return new HttpCall
          { Method = "POST", Path = "v1/tickets", Body = body, AnswerMs = TicketMs };
      var poll = new HttpCall
        { Method = "GET", Path = Place(), AnswerMs = PollS * 1000 + GraceMs };
      // The first poll of a resumed ticket is answered at once: it learns the state.
      if (state != "") poll.Fields["Prefer"] = "wait=" + PollS;
      if (tag != "") poll.Fields["If-None-Match"] = tag;
      return poll;
    }

    string Place() => "v1/tickets/" + ticket;

    public override Dictionary<string, object> Take(int at, HttpAnswer answer,
                                                    Dictionary<string, object> found)
    {
      if (ticket == null) return TakeTicket(at, answer, found);
      if (answer.Status == 304 && tag != "") return PollAgain(at, answer, state);
      var type = Answers.TypeOf(found);
      if (type == "ticket-expired")
        throw new MatchException(MatchOutcome.TooLate, type, Answers.TextOf(found, "detail"),
                                 answer.Status);
      return answer.Status == 200 ? TakeState(at, answer, found) : null;
    }

    Dictionary<string, object> TakeTicket(int at, HttpAnswer answer,
                                          Dictionary<string, object> found)
    {
      var told = Answers.TextOf(found, "ticket");
      var again = Answers.TypeOf(found) == "already-waiting";
      if (!IsTicket(told) || !(again || answer.Status == 201)) return null;
      ticket = told;
      if (!again) return TakeState(at, answer, found);
      Asking.GoOn(at, 0, "");  // the answer of an earlier POST was lost
      return GoOn;
    }

    Dictionary<string, object> TakeState(int at, HttpAnswer answer,
                                         Dictionary<string, object> found)
    {
      var now = Answers.TextOf(found, "state");
      if (now == "cancelled")
      {
        ticket = null;
        throw Asking.Cancelled();
      }
      if (now == "expired") throw ProblemOf(found, now, MatchOutcome.TooLate);
      if (now == "failed") throw ProblemOf(found, now, MatchOutcome.Refused);
      found.TryGetValue("seat", out var given);
      var seat = given as Dictionary<string, object>;
      var ready = now == "ready" && seat != null && Answers.IsSeat(seat);
      if (!ready && now != "waiting" && now != "matched") return null;
      if (now != state && onChange != null)
        onChange(new Dictionary<string, object>(found) { ["ticket"] = ticket });
      if (ready) return seat;
      tag = answer.ETag;
      return PollAgain(at, answer, now);
    }

    // At once, unless the master said when, or held no poll.
    Dictionary<string, object> PollAgain(int at, HttpAnswer answer, string now)
    {
      var early = now == state && Asking.NowMs < askedAtMs + PollS * 500;
      Asking.GoOn(at, early ? Asking.NowMs + PollPauseMs : 0, answer.RetryAfter);
      state = now;
      return GoOn;
    }

    // Ends the ticket where it was polled last. If that fails, the ticket ends by itself.
    async Task Delete()
    {
      if (ticket == null) return;
      var call = new HttpCall { Method = "DELETE", Path = Place(), AnswerMs = GraceMs };
      try
      {
        await Asking.Send(holder, call, double.MaxValue, CancellationToken.None);
      }
      catch (Exception)
      {
      }
    }

    static MatchException ProblemOf(Dictionary<string, object> found, string state,
                                    MatchOutcome outcome)
    {
      found.TryGetValue("problem", out var given);
      var problem = given as Dictionary<string, object> ?? new Dictionary<string, object>();
      problem.TryGetValue("status", out var status);
      var detail = Answers.TextOf(problem, "detail");
      if (detail == "") detail = "the ticket is " + state;
      return new MatchException(outcome, Answers.TypeOf(problem), detail,
                                status is long number ? (int)number : 0);
    }
  }
}
