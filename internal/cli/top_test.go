package cli

import (
	"context"
	"iter"
	"os"
	"testing"
	"time"

	"cresset/internal/tui"
)

// panicking is a screen with a mistake.
type panicking struct{}

func (panicking) Resize(int, int)          {}
func (panicking) Take(tui.Look)            {}
func (panicking) Press(tui.Key) tui.Action { return tui.Stay }
func (panicking) View() string             { panic("a mistake in a screen") }

// panicOnTerminal is a program that panics while it has the terminal.
func panicOnTerminal() {
	_ = tui.Run(context.Background(), panicking{}, noLooks, os.Stdin, os.Stdout)
}

func noLooks(ctx context.Context) iter.Seq[tui.Look] {
	return func(func(tui.Look) bool) { <-ctx.Done() }
}

func TestInterval(t *testing.T) {
	for _, tc := range []struct {
		text string
		want time.Duration // 0: refused
	}{
		{"1", time.Second}, {"0.5", 500 * time.Millisecond}, {"250ms", 250 * time.Millisecond}, {"2m", 2 * time.Minute},
		{"0", 0}, {"-1", 0}, {"0.01", 0}, {"86401", 0}, {"NaN", 0}, {"Inf", 0}, {"1e300", 0}, {"", 0}, {"soon", 0},
	} {
		got, err := (&topCommand{Interval: tc.text}).interval()
		if got != tc.want || (err == nil) != (tc.want != 0) {
			t.Errorf("%q: got %v, %v", tc.text, got, err)
		}
	}
}

func TestSpeaksUTF8(t *testing.T) {
	for _, tc := range []struct {
		all, kind, lang string
		want            bool
	}{
		{"", "", "en_US.UTF-8", true}, {"", "", "C.utf8", true}, {"", "", "C", false}, {"", "", "", false},
		{"C", "C.UTF-8", "C.UTF-8", false}, {"", "de_DE.UTF-8", "C", true}, {"", "de_DE@euro", "C.UTF-8", false},
	} {
		t.Setenv("LC_ALL", tc.all)
		t.Setenv("LC_CTYPE", tc.kind)
		t.Setenv("LANG", tc.lang)
		if got := speaksUTF8("linux"); got != tc.want {
			t.Errorf("%+v: got %v", tc, got)
		}
	}
}
