// SPDX-License-Identifier: MIT

// Package fixkeep gives Nakama rooms of FIX Keep: a FleetManager for initializer.RegisterFleetManager.
//
// Each instance is a match of FIX Keep, PUT /v1/matches/{id}. The call may be repeated as often as you
// like and at any master, so a lost answer costs nothing and no server is left over.
// Thread rule: any goroutine. Bounds: Limit for Create, answerLimit for each call, 1 MiB of an answer.
// Errors: an *Error with the master's answer, or the error of the last connection.
package fixkeep

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
)

const (
	answerLimit = 35 * time.Second
	pause       = time.Second
	waitMs      = 20_000
	most        = 1 << 20
)

// Fleet makes rooms.
type Fleet struct {
	Masters []string // "https://m1.example"
	Key     string   // of a service: fixkeepctl key
	Mode    string
	Limit   time.Duration // for Create

	// Attributes of the mode, if it has any.
	Attributes map[string]any

	callbacks runtime.FmCallbackHandler
}

// Error is a master's refusal.
type Error struct {
	Status int
	Detail string
}

func (e *Error) Error() string { return fmt.Sprintf("status %d: %s", e.Status, e.Detail) }

type player struct {
	Id        string `json:"player_id"`
	SeatToken string `json:"seat_token,omitempty"`
}
type order struct {
	Mode       string         `json:"mode,omitempty"`
	Attributes map[string]any `json:"attributes,omitempty"`
	Players    []player       `json:"players"`
	Metadata   map[string]any `json:"metadata,omitempty"`
	WaitMs     int            `json:"wait_ms"`
}
type match struct {
	Id      string   `json:"match_id"`
	State   string   `json:"state"`
	Address string   `json:"address"`
	Port    int      `json:"port"`
	Players []player `json:"players"`
}

// Init keeps the handler of the callbacks. Nakama calls it.
func (f *Fleet) Init(_ runtime.NakamaModule, callbacks runtime.FmCallbackHandler) error {
	if len(f.Masters) == 0 || f.Mode == "" {
		return errors.New("fixkeep: set Masters and Mode")
	}
	f.callbacks = callbacks
	return nil
}

// Create makes a room for these players, and calls back. metadata["match_id"] is the match's id; without
// it the id is random. SessionId of a player is its seat token.
func (f *Fleet) Create(_ context.Context, _ int, userIds []string, _ []runtime.FleetUserLatencies, metadata map[string]any, callback runtime.FmCreateCallbackFn) error {
	if len(userIds) == 0 {
		return errors.New("fixkeep: a room without players ends at once; give userIds")
	}
	id, given := metadata["match_id"].(string)
	if !given {
		var random [16]byte
		if _, err := rand.Read(random[:]); err != nil {
			return err
		}
		id = hex.EncodeToString(random[:])
	}
	name := f.callbacks.GenerateCallbackId()
	f.callbacks.SetCallback(name, callback)
	go func() {
		// The caller's context may end before the room is ready.
		ctx, cancel := context.WithTimeout(context.Background(), f.Limit)
		defer cancel()
		made, err := f.untilReady(ctx, id, order{f.Mode, f.Attributes, playersOf(userIds), metadata, waitMs})
		switch {
		case err == nil:
			f.callbacks.InvokeCallback(name, runtime.CreateSuccess, instanceOf(made), sessionsOf(made), metadata, nil)
		case ctx.Err() != nil:
			f.callbacks.InvokeCallback(name, runtime.CreateTimeout, nil, nil, nil, err)
		default:
			f.callbacks.InvokeCallback(name, runtime.CreateError, nil, nil, nil, err)
		}
	}()
	return nil
}

// Get finds the room of a match at any master.
func (f *Fleet) Get(ctx context.Context, id string) (*runtime.InstanceInfo, error) {
	found, err := f.ask(ctx, http.MethodGet, path(id), nil)
	if err != nil {
		return nil, err
	}
	return instanceOf(found), nil
}

// Join gives players seats in a room that runs.
func (f *Fleet) Join(ctx context.Context, id string, userIds []string, _ map[string]string) (*runtime.JoinInfo, error) {
	joined, err := f.ask(ctx, http.MethodPost, path(id)+"/players", order{Players: playersOf(userIds), WaitMs: waitMs})
	if err != nil {
		return nil, err
	}
	instance, err := f.Get(ctx, id) // with all players
	if err != nil {
		return nil, err
	}
	return &runtime.JoinInfo{InstanceInfo: instance, SessionInfo: sessionsOf(joined)}, nil
}

// List is not supported: a key of a service sees the matches whose ids it has.
func (f *Fleet) List(context.Context, string, int, string) ([]*runtime.InstanceInfo, string, error) {
	return nil, "", errors.New("fixkeep: keep the ids of your matches; there is no list of them")
}

// Update does nothing: the room itself counts its players.
func (f *Fleet) Update(context.Context, string, int, map[string]any) error { return nil }

// Delete ends the room of a match.
func (f *Fleet) Delete(ctx context.Context, id string) error {
	_, err := f.ask(ctx, http.MethodDelete, path(id), nil)
	return err
}

func (f *Fleet) untilReady(ctx context.Context, id string, body order) (*match, error) {
	for {
		made, err := f.ask(ctx, http.MethodPut, path(id), body)
		var refusal *Error
		if err == nil && made.State != "starting" {
			return made, nil
		}
		if errors.As(err, &refusal) && refusal.Status < 500 {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("fixkeep: not ready in time: %v", err)
		case <-time.After(pause):
		}
	}
}

// ask makes one call at the first master that answers.
func (f *Fleet) ask(ctx context.Context, method, path string, body any) (*match, error) {
	var last error
	for _, master := range f.Masters {
		found, err := f.askAt(ctx, method, master+path, body)
		var refusal *Error
		if err == nil || errors.As(err, &refusal) && refusal.Status < 500 && refusal.Status != 429 {
			return found, err
		}
		last = err
	}
	return nil, last
}

func (f *Fleet) askAt(ctx context.Context, method, target string, body any) (*match, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if f.Key != "" {
		request.Header.Set("Authorization", "Bearer "+f.Key)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(io.LimitReader(answer.Body, most))
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 400 {
		return nil, &Error{answer.StatusCode, string(got)}
	}
	found := &match{}
	if len(got) == 0 {
		return found, nil
	}
	return found, json.Unmarshal(got, found)
}

func path(id string) string { return "/v1/matches/" + url.PathEscape(id) }

func playersOf(ids []string) []player {
	players := make([]player, len(ids))
	for i, id := range ids {
		players[i].Id = id
	}
	return players
}

func instanceOf(m *match) *runtime.InstanceInfo {
	return &runtime.InstanceInfo{
		Id:             m.Id,
		ConnectionInfo: &runtime.ConnectionInfo{IpAddress: m.Address, Port: m.Port},
		PlayerCount:    len(m.Players),
		Status:         m.State,
	}
}

func sessionsOf(m *match) []*runtime.SessionInfo {
	var sessions []*runtime.SessionInfo
	for _, each := range m.Players {
		sessions = append(sessions, &runtime.SessionInfo{UserId: each.Id, SessionId: each.SeatToken})
	}
	return sessions
}
