package tui

import (
	"slices"
	"strings"
	"testing"
)

// keysOf returns what the terminal sent as keys, those that are known, and what is left of it.
func keysOf(sent string) (keys []Key, rest string) {
	k, rest, ok := nextKey(sent)
	for ; ok; k, rest, ok = nextKey(rest) {
		if k.Name != "" {
			keys = append(keys, k)
		}
	}
	return keys, rest
}

func TestNextKey(t *testing.T) {
	for _, tc := range []struct{ sent, names, rest string }{
		{"/é\r", "/ é enter", ""},
		{"\x1b[A\x1bOB\x1b[5~\x1b[Z", "up down pgup shift+tab", ""},
		{"\x1b", "esc", ""},
		{"\x1bqj", "j", ""},                        // alt+q is no key of ours
		{"\x1b[1;5Cq\x1b[<0;1;1Mq", "q q", ""},     // nor are ctrl+right and a mouse
		{"q\x1b[", "q", "\x1b["},                   // a sequence that is not complete
		{"q\xc3", "q", "\xc3"},                     // nor is a character
		{"\xffq\x00", "q", ""},                     // no character at all
		{"\x1b[200~qr\r\x1b[201~q", "paste q", ""}, // no key is pressed in what is pasted
		{"\x1b[200~qr", "", "\x1b[200~qr"},
	} {
		keys, rest := keysOf(tc.sent)
		var names []string
		for _, k := range keys {
			names = append(names, k.Name)
		}
		if got := strings.Join(names, " "); got != tc.names || rest != tc.rest {
			t.Errorf("%q: got %q and %q, want %q and %q", tc.sent, got, rest, tc.names, tc.rest)
		}
	}
	if keys, _ := keysOf("é\x1b[200~a b\x1b[201~\t"); !slices.Equal(keys, []Key{{"é", "é"}, {"paste", "a b"}, {"tab", ""}}) {
		t.Errorf("got %q", keys)
	}
}
