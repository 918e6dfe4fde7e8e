package fixkeep

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
)

var _ runtime.FleetManagerInitializer = (*Fleet)(nil)

type callbacks struct {
	set map[string]runtime.FmCreateCallbackFn
}

func (c *callbacks) GenerateCallbackId() string { return "one" }
func (c *callbacks) SetCallback(id string, fn runtime.FmCreateCallbackFn) {
	c.set[id] = fn
}
func (c *callbacks) InvokeCallback(id string, status runtime.FmCreateStatus, instance *runtime.InstanceInfo, sessions []*runtime.SessionInfo, metadata map[string]any, err error) {
	c.set[id](status, instance, sessions, metadata, err)
}

type created struct {
	status   runtime.FmCreateStatus
	instance *runtime.InstanceInfo
	sessions []*runtime.SessionInfo
	err      error
}

func create(t *testing.T, fleet *Fleet, id string, players ...string) created {
	t.Helper()
	done := make(chan created, 1)
	err := fleet.Create(context.Background(), 0, players, nil, map[string]any{"match_id": id},
		func(status runtime.FmCreateStatus, instance *runtime.InstanceInfo, sessions []*runtime.SessionInfo, _ map[string]any, err error) {
			done <- created{status, instance, sessions, err}
		})
	if err != nil {
		t.Fatal(err)
	}
	return <-done
}

// The caller reads the lines JOIN, and plays there.
func TestTheWholeWay(t *testing.T) {
	fleet := &Fleet{Masters: strings.Split(os.Getenv("MASTERS"), ","), Mode: "duel", Limit: time.Minute}
	if err := json.Unmarshal([]byte(os.Getenv("ATTRIBUTES")), &fleet.Attributes); err != nil {
		t.Fatal(err)
	}
	if err := fleet.Init(nil, &callbacks{map[string]runtime.FmCreateCallbackFn{}}); err != nil {
		t.Fatal(err)
	}
	first := create(t, fleet, "nakama-1", "ann", "bob")
	again := create(t, fleet, "nakama-1", "ann", "bob")
	if first.err != nil || again.err != nil || len(first.sessions) != 2 {
		t.Fatal(first, again)
	}
	if *first.instance.ConnectionInfo != *again.instance.ConnectionInfo {
		t.Fatal("a repeated call gave another room")
	}
	if other := create(t, fleet, "nakama-1", "eve"); other.status != runtime.CreateError {
		t.Fatal("another match with this id is an error: ", other)
	}
	joined, err := fleet.Join(context.Background(), "nakama-1", []string{"cid"}, nil)
	if err != nil || joined.InstanceInfo.PlayerCount != 3 {
		t.Fatal(joined, err)
	}
	if found, err := fleet.Get(context.Background(), "nakama-1"); err != nil || found.ConnectionInfo.Port != first.instance.ConnectionInfo.Port {
		t.Fatal(found, err)
	}
	for _, each := range append(first.sessions, joined.SessionInfo...) {
		fmt.Printf("JOIN %s %s %d %s\n", each.UserId, joined.InstanceInfo.ConnectionInfo.IpAddress, joined.InstanceInfo.ConnectionInfo.Port, each.SessionId)
	}
	if err := fleet.Delete(context.Background(), "no-such-match"); err == nil {
		t.Fatal("there is no such match")
	}
}
