package paint

import (
	"io"
	"os"
	"testing"
)

func TestStyles(t *testing.T) {
	alarm := Palette(true).Style(Red, Bold)
	for _, tc := range []struct{ got, want string }{
		{alarm.Render("x"), "\x1b[31;1mx\x1b[0m"},
		{alarm.Render("  "), "  "},
		{Palette(false).Style(Red, Bold).Render("x"), "x"},
		{Palette(true).Style().Render("x"), "x"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "44°C": 4, "⣾…·─": 4, "世界": 4, "e\u0301": 1, "👍": 2, "\x1b[1;31mabc\x1b[0m d": 5, "\x1b[2m": 0, "ｆｆ": 4,
	} {
		if got := Width(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

// TestOn: a file that is no terminal gets styles only where they are forced.
func TestOn(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, tc := range []struct {
		noColor, colours, force string
		want                    Palette
	}{
		{"", "", "", false}, {"", "1", "", false}, {"", "", "1", true}, {"", "0", "1", true}, {"1", "", "1", false}, {"", "", "0", false},
	} {
		t.Setenv("NO_COLOR", tc.noColor)
		t.Setenv("CLICOLOR", tc.colours)
		t.Setenv("CLICOLOR_FORCE", tc.force)
		for _, w := range []io.Writer{io.Discard, file} {
			if got := On(w); got != tc.want {
				t.Errorf("%+v: got %v for a %T", tc, got, w)
			}
		}
	}
}
