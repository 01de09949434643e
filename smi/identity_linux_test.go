package smi

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestIdentify identifies a cat that has answered: right after it was started, Linux may not know its arguments yet.
func TestIdentify(t *testing.T) {
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Skip("no cat")
	}
	command := exec.Command(cat, "-")
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); command.Wait() }()
	if _, err := in.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	pid := command.Process.Pid
	for _, tc := range []struct {
		name string
		want string
	}{
		{"", "cat -"},
		{"cat", "cat -"},
		{"/elsewhere/bin/cat", "cat -"},
		{"/usr/lib/xorg/Xorg", ""}, // the number is another process's
	} {
		got := Identify(Process{PID: pid, Name: tc.name})
		if got.Command != tc.want || (got.User == "") != (tc.want == "") {
			t.Errorf("%q: got %+v, want command %q", tc.name, got, tc.want)
		}
	}
	for _, pid := range []int{0, -1, 1 << 30} {
		if got := Identify(Process{PID: pid}); got != (Identity{}) {
			t.Errorf("process %d: got %+v", pid, got)
		}
	}
}

func TestReadStatus(t *testing.T) {
	for _, tc := range []struct {
		text string
		uid  int
		name string
		ok   bool
	}{
		{"Name:\tpython\nState:\tS (sleeping)\nUid:\t1000\t1001\t1000\t1000\n", 1001, "python", true},
		{"Name:\ta\\nUid: 7\nUid:\t5\t5\t5\t5\n", 5, `a\nUid: 7`, true}, // Linux escapes the line break
		{"Name:\tpython\nUid:\t1000\n", 0, "", false},
		{"Name:\tpython\nUid:\tx\ty\n", 0, "python", false},
		{"", 0, "", false},
	} {
		if uid, name, ok := readStatus(tc.text); uid != tc.uid || name != tc.name || ok != tc.ok {
			t.Errorf("%q: got %d, %q, %v", tc.text, uid, name, ok)
		}
	}
}

func TestSplitArguments(t *testing.T) {
	for _, tc := range []struct {
		line string
		want []string
	}{
		{"python\x00-c\x00a b\x00", []string{"python", "-c", "a b"}},
		{"title", []string{"title"}},
		{"\x00\x00", nil},
		{"", nil},
	} {
		if got := splitArguments(tc.line); !slices.Equal(got, tc.want) {
			t.Errorf("%q: got %q", tc.line, got)
		}
	}
}

// TestAccounts: a user without a name, as in most containers, is a number.
func TestAccounts(t *testing.T) {
	var a accountNames
	const nobody = 1<<30 + 17
	for range 2 {
		if got := a.name(nobody); got != strconv.Itoa(nobody) {
			t.Errorf("got %q", got)
		}
	}
	for uid := range maxAccounts {
		a.names[uid] = "x"
	}
	a.name(nobody + 1)
	if len(a.names) > maxAccounts {
		t.Errorf("%d names are remembered", len(a.names))
	}
}

// TestLongCommand: only the start of a command line is read.
func TestLongCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cmdline")
	if err := os.WriteFile(file, []byte(strings.Repeat("x", 1<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := head(file); err != nil || len(text) != maxArguments {
		t.Errorf("got %d bytes, %v", len(text), err)
	}
}
