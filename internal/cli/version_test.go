package cli

import (
	"runtime/debug"
	"testing"
)

func TestSource(t *testing.T) {
	for want, settings := range map[string][]debug.BuildSetting{
		" (built without its commit)": {{Key: "CGO_ENABLED", Value: "0"}},
		" (0123456789ab of 2026-11-22)": {{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-11-22T19:00:00Z"},
			{Key: "vcs.modified", Value: "false"}},
		" (0123456789ab of 2026-11-22, modified)": {{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-11-22T19:00:00Z"},
			{Key: "vcs.modified", Value: "true"}},
		" (0123456789ab)": {{Key: "vcs.revision", Value: "0123456789abcdef"}},
	} {
		var v versions
		v.read(settings)
		if got := v.source(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
