package tui

import (
	"strings"
	"unicode/utf8"
)

// Key is what was pressed: a key with a name, such as "pgup", or a character, whose name is the character. What was pasted is
// one Key of the name "paste".
type Key struct {
	Name string
	Text string // what the key writes; empty where it does not
}

// Sequences around what is pasted, once the terminal was asked for them.
const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
)

// keyNames are the keys that write no characters, by what terminals send for them.
var keyNames = map[string]string{
	"\r": "enter", "\t": "tab", "\x7f": "backspace", "\b": "backspace", "\x03": "ctrl+c", "\x15": "ctrl+u", "\x1a": "ctrl+z", "\x1b": "esc",
	"\x1b[A": "up", "\x1b[B": "down", "\x1bOA": "up", "\x1bOB": "down", "\x1b[Z": "shift+tab", "\x1b[5~": "pgup", "\x1b[6~": "pgdown",
	"\x1b[H": "home", "\x1bOH": "home", "\x1b[1~": "home", "\x1b[7~": "home",
	"\x1b[F": "end", "\x1bOF": "end", "\x1b[4~": "end", "\x1b[8~": "end",
}

// nextKey reads the first key of what a terminal sent, and returns what follows it. A key that nothing is known of has no
// name. Where the rest of a sequence is yet to come, ok is false.
func nextKey(sent string) (k Key, rest string, ok bool) {
	if pasted, begins := strings.CutPrefix(sent, pasteBegins); begins {
		text, rest, ends := strings.Cut(pasted, pasteEnds)
		if !ends {
			return Key{}, sent, false
		}
		return Key{"paste", strings.ToValidUTF8(text, "")}, rest, true
	}
	n := sequence(sent)
	if n == 0 {
		return Key{}, sent, false
	}
	text, rest := sent[:n], sent[n:]
	if name, known := keyNames[text]; known {
		return Key{Name: name}, rest, true
	}
	if r, _ := utf8.DecodeRuneInString(text); r < ' ' || r == utf8.RuneError {
		return Key{}, rest, true
	}
	return Key{text, text}, rest, true
}

// sequence returns the length of the character or the escape sequence that sent begins with; 0 if it is not complete. Nothing tells
// the key escape from the first byte of a sequence but that nothing follows it.
func sequence(sent string) int {
	switch {
	case len(sent) == 0, !utf8.FullRuneInString(sent):
		return 0
	case sent[0] != 0x1b || len(sent) == 1:
		_, n := utf8.DecodeRuneInString(sent)
		return n
	case sent[1] == 'O' && len(sent) > 2:
		return 3
	case sent[1] == 'O':
		return 0
	case sent[1] != '[': // a character while alt is down
		return 1 + sequence(sent[1:])
	}
	for n, r := range sent[2:] {
		if r >= 0x40 { // the last byte of a control sequence
			return n + 3
		}
	}
	return 0
}
