// SPDX-License-Identifier: MIT
// A Cloud Code module that gives each match of Unity Matchmaker one room of FIX Keep. It needs
// clients/csharp/Json.cs.
//
// Allocate and Poll make the same call: PUT /v1/matches/{match id}. The call may be repeated as often
// as you like and at any master, so a lost answer costs nothing and no server is left over.
// Thread rule: any thread. Bounds: AnswerMs for each master; Unity ends a call after 30 s. Errors:
// Allocate answers Created unless a master refuses the match; Poll answers Pending until the room is
// ready, and Error if a master refuses the match.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Http;
using System.Text;
using System.Threading.Tasks;
using Unity.Services.CloudCode.Apis;
using Unity.Services.CloudCode.Apis.Matchmaker;
using Unity.Services.CloudCode.Core;

namespace FixKeep
{
  public class FixKeepAllocator : IMatchmakerAllocator
  {
    // Set these to yours. The secret has the key that `fixkeepctl key` printed.
    public static string[] Masters = { "https://m1.example", "https://m2.example" };
    public static string Mode = "duel";
    public static Dictionary<string, object> Attributes = new Dictionary<string, object>();
    public static string KeySecret = "FIXKEEP_KEY";

    const int AnswerMs = 8000;
    static readonly HttpClient Http =
      new HttpClient { Timeout = TimeSpan.FromMilliseconds(AnswerMs) };
    readonly IGameApiClient api;

    public FixKeepAllocator(IGameApiClient api)
    {
      this.api = api;
    }

    [CloudCodeFunction("Matchmaker_AllocateServer")]
    public async Task<AllocateResponse> Allocate(IExecutionContext context, AllocateRequest request)
    {
      var order = OrderOf(request.MatchmakingResults.MatchProperties);
      var answer = await Put(context, request.MatchId, order);
      if (answer.Refused) return new AllocateResponse(AllocateStatus.Error) { Message = answer.Text };
      return new AllocateResponse(AllocateStatus.Created)
      {
        AllocationData = new Dictionary<string, object> { ["order"] = order }
      };
    }

    [CloudCodeFunction("Matchmaker_PollAllocation")]
    public async Task<PollResponse> Poll(IExecutionContext context, PollRequest request)
    {
      var answer = await Put(context, request.MatchId, request.AllocationData["order"].ToString());
      if (answer.Refused) return new PollResponse(PollStatus.Error) { Message = answer.Text };
      if (answer.Room == null) return new PollResponse(PollStatus.Pending);
      var port = (int)(long)answer.Room["port"];
      return new PollResponse(PollStatus.Allocated)
      {
        AssignmentData = AssignmentData.IpPort((string)answer.Room["address"], port)
      };
    }

    // The players that Unity's rules put into teams. Unity gives the values as objects of its JSON
    // library, whose texts are JSON.
    public static string OrderOf(Dictionary<string, object> properties)
    {
      var teams = (List<object>)Json.Read(properties["Teams"].ToString());
      return Json.Write(new Dictionary<string, object>
      {
        ["mode"] = Mode,
        ["attributes"] = Attributes,
        ["teams"] = teams.Cast<Dictionary<string, object>>().Select(TeamOf).ToList(),
        ["wait_ms"] = 0L
      });
    }

    static object TeamOf(Dictionary<string, object> team)
    {
      var players = ((List<object>)team["PlayerIds"]).Select(
        id => (object)new Dictionary<string, object> { ["player_id"] = id });
      return new Dictionary<string, object>
        { ["name"] = team["TeamName"], ["players"] = players.ToList() };
    }

    sealed class Answer
    {
      public bool Refused;  // every master would refuse
      public string Text = "";
      public Dictionary<string, object> Room;  // null: the room still starts, or no master answered
    }

    async Task<Answer> Put(IExecutionContext context, string match, string order)
    {
      var secret = await api.SecretManager.GetSecret(context, KeySecret);
      var answer = new Answer();
      foreach (var master in Masters)
      {
        try
        {
          answer = await PutAt(master, match, order, secret.Value);
        }
        catch (Exception error) when (error is HttpRequestException || error is OperationCanceledException)
        {
          continue;  // the next master has the same answer
        }
        if (answer.Refused || answer.Room != null) break;
      }
      return answer;
    }

    static async Task<Answer> PutAt(string master, string match, string order, string key)
    {
      var call = new HttpRequestMessage(HttpMethod.Put,
                                        master + "/v1/matches/" + Uri.EscapeDataString(match));
      call.Headers.TryAddWithoutValidation("Authorization", "Bearer " + key);
      call.Content = new StringContent(order, Encoding.UTF8, "application/json");
      using (var got = await Http.SendAsync(call))
      {
        var status = (int)got.StatusCode;
        var text = await got.Content.ReadAsStringAsync();
        return new Answer
        {
          Refused = status >= 400 && status < 500 && status != 408 && status != 429,
          Text = text,
          Room = status == 200 ? Json.Read(text) as Dictionary<string, object> : null
        };
      }
    }
  }
}
