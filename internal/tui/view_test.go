package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cresset/smi"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestFrames compares whole pictures: go test ./internal/tui -update rewrites them, for eyes to judge.
func TestFrames(t *testing.T) {
	second := Options{Every: time.Second}
	for _, tc := range []struct {
		name          string
		options       Options
		width, height int
		gpus          int
		keys          string
	}{
		{"80x24", second, 80, 24, 4, ""},
		{"40x10", second, 40, 10, 4, ""},
		{"40x10-tab", second, 40, 10, 4, "<tab>"},
		{"200x50", second, 200, 50, 8, ""},
		{"80x24-16gpus", second, 80, 24, 16, "m"},
		{"80x24-colour", Options{Every: time.Second, Palette: true}, 80, 24, 2, "u"},
		{"80x24-ascii", Options{Every: time.Second, ASCII: true}, 80, 24, 2, "/python<enter>"},
		{"60x12-filter", second, 60, 12, 4, "/grace"},
		{"80x24-help", second, 80, 24, 1, "?"},
		{"30x4", second, 30, 4, 4, ""},
		{"29x3", second, 29, 3, 4, ""},
	} {
		top := seen(tc.options, tc.width, tc.height, tc.gpus, 45)
		typeKeys(top, tc.keys)
		golden(t, tc.name, top.View())
	}
	golden(t, "frame", seen(Options{}, 80, 24, 4, 45).Frame(80))
}

// TestLostFrame shows what a lost GPU looks like.
func TestLostFrame(t *testing.T) {
	top := seen(Options{}, 80, 24, 2, 30)
	look := farm(1, 31)
	look.Err = fmt.Errorf("GPU 1: nvmlDeviceGetName: %w", smi.ErrLost)
	top.Take(look)
	golden(t, "80x24-lost", top.View())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	got = strings.ReplaceAll(got, "\x1b", "<esc>") + "\n"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

func TestSpark(t *testing.T) {
	var h history
	for _, v := range []float64{0, 0.25, 0.5, 0.75, 1, absent, 1} {
		h.add(v)
	}
	for _, tc := range []struct {
		pen          pen
		width, lines int
		want         []string
	}{
		{braille, 4, 1, []string{"⢀⣠⣾⢸"}},
		{braille, 5, 1, []string{" ⢀⣠⣾⢸"}},
		{braille, 4, 2, []string{"  ⣼⢸", "⢀⣼⣿⢸"}},
		{braille, 2, 1, []string{"⣾⢸"}},
		{ascii, 7, 1, []string{"..-=# #"}},
		{ascii, 3, 2, []string{"# #", "# #"}},
	} {
		if got := tc.pen.draw(&h, tc.width, tc.lines); strings.Join(got, "\n") != strings.Join(tc.want, "\n") {
			t.Errorf("width %d, %d lines: got %q, want %q", tc.width, tc.lines, got, tc.want)
		}
	}
	for range 3 * samples {
		h.add(0)
	}
	if got := braille.draw(&h, samples, 1)[0]; !strings.HasSuffix(got, strings.Repeat("⣀", samples/2)) || strings.Contains(got, "⢀") {
		t.Errorf("the oldest values: got %q", got)
	}
}
