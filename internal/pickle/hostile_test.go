package pickle

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

func TestRefused(t *testing.T) {
	for _, tc := range []struct{ name, pickle, want string }{
		{"nothing", "", "at byte 0: unexpected EOF"},
		{"protocol 1", "\x80\x01N.", "PROTO: protocol 1 is not one of 2 to 5"},
		{"protocol 6", "\x80\x06N.", "PROTO: protocol 6"},
		{"an opcode of protocol 0", "\x80\x02I1\n.", "at byte 2: unsupported opcode: 0x49"},
		{"an opcode of nothing", "\x80\x02\xff.", "unsupported opcode: 0xff"},
		{"INST", "\x80\x02(iposix\nsystem\n.", "unsupported opcode: 0x69"},
		{"OBJ", "\x80\x02(o.", "unsupported opcode: 0x6f"},
		{"NEWOBJ_EX", "\x80\x04\x92.", "unsupported opcode: 0x92"},
		{"EXT1", "\x80\x02\x82\x01.", "unsupported opcode: 0x82"},
		{"NEXT_BUFFER", "\x80\x05\x97.", "unsupported opcode: 0x97"},
		{"GLOBAL", "\x80\x02cposix\nsystem\n.", "GLOBAL: Unsupported global: GLOBAL posix.system was not an allowed global by default"},
		{"STACK_GLOBAL", "\x80\x04\x8c\x08builtins\x8c\x04eval\x93.", "STACK_GLOBAL: Unsupported global: GLOBAL builtins.eval"},
		{"STACK_GLOBAL of numbers", "\x80\x04K\x01K\x02\x93.", "named by two strings, not by int and int"},
		{"a long GLOBAL", "\x80\x02c" + strings.Repeat("x", 2000) + "\n.", "more than 1024 bytes in a name"},
		{"an endless GLOBAL", "\x80\x02c" + strings.Repeat("x", 1<<20), "more than 1024 bytes in a name"},
		{"a long STACK_GLOBAL", "\x80\x04X\xff\xff\x00\x00" + strings.Repeat("x", 0xffff) + "\x8c\x01x\x93.", "more than 1024 bytes in a name"},
		{"GLOBAL that is not UTF-8", "\x80\x02c\xff\nx\n.", "not UTF-8"},
		{"call of a string", "\x80\x02U\x01x)R.", "REDUCE: a str is not called"},
		{"call with a list", "\x80\x02ccollections\nOrderedDict\n]R.", "arguments are a tuple, not a list"},
		{"OrderedDict of a number", "\x80\x02ccollections\nOrderedDict\nK\x01\x85R.", "takes nothing or a list of pairs"},
		{"Counter of a number", "\x80\x02ccollections\nCounter\nK\x01\x85R.", "collections.Counter takes nothing or a dict"},
		{"OrderedDict of single values", "\x80\x02ccollections\nOrderedDict\n]K\x01a\x85R.", "takes pairs, not a int"},
		{"set of a number", "\x80\x02c__builtin__\nset\nK\x01\x85R.", "takes nothing or a list"},
		{"set of lists", "\x80\x02c__builtin__\nset\n]]a\x85R.", "unhashable type: 'list'"},
		{"complex of strings", "\x80\x02c__builtin__\ncomplex\nU\x01xU\x01x\x86R.", "complex takes two floats"},
		{"encode to another encoding", "\x80\x02c_codecs\nencode\nU\x01xU\x03rot\x86R.", "takes a string and \"latin1\""},
		{"encode of wide characters", "\x80\x02c_codecs\nencode\nX\x03\x00\x00\x00\xe4\xbd\xa0U\x06latin1\x86R.", "not in latin1"},
		{"bytearray of a number", "\x80\x02c__builtin__\nbytearray\nK\x05\x85R.", "_codecs.encode takes"},
		{"persistent id", "\x80\x02NQ.", "persistent ids are not allowed"},
		{"state of a list", "\x80\x02]}b.", "a list takes no state of type dict"},
		{"state of a dict", "\x80\x02}}b.", "a dict takes no state"},
		{"state that is a tuple", "\x80\x02ccollections\nOrderedDict\n)R)b.", "takes no state of type tuple"},
		{"pop from nothing", "\x80\x02" + "0.", "POP: the stack is empty"},
		{"pop below a mark", "\x80\x02N(0.", "POP: the stack is empty"},
		{"tuple of nothing", "\x80\x02N\x86.", "TUPLE2: the stack is empty"},
		{"no mark", "\x80\x02Nt.", "TUPLE: no mark"},
		{"dup of nothing", "\x80\x02" + "2.", "DUP: the stack is empty"},
		{"stop with nothing", "\x80\x02.", "0 values and 0 marks"},
		{"stop with two", "\x80\x02NN.", "2 values and 0 marks"},
		{"stop with a mark", "\x80\x02N(.", "1 values and 1 marks"},
		{"memo without an entry", "\x80\x02h\x00.", "BINGET: memo has no entry 0"},
		{"memo entry between others", "\x80\x02Nq\x02h\x01.", "BINGET: memo has no entry 1"},
		{"memo entry far away", "\x80\x02Nr\xff\xff\xff\xff.", "LONG_BINPUT: memo index 4294967295"},
		{"memo of nothing", "\x80\x02q\x00.", "BINPUT: the stack is empty"},
		{"append to a tuple", "\x80\x02)Na.", "APPEND: a tuple takes no elements"},
		{"append to nothing", "\x80\x02Na.", "APPEND: the stack is empty"},
		{"items of a list", "\x80\x02]NNs.", "SETITEM: a list takes no items"},
		{"odd items", "\x80\x02}(NNNu.", "SETITEMS: a key without a value"},
		{"a dict as a key", "\x80\x02}}Ns.", "unhashable type: 'dict'"},
		{"a list in a tuple as a key", "\x80\x02}]\x85Ns.", "unhashable type: 'list'"},
		{"items of a dict as a set", "\x80\x04}(N\x90.", "ADDITEMS: a dict takes no elements of a set"},
		{"text that is not UTF-8", "\x80\x02U\x01\xff.", "SHORT_BINSTRING: text that is not UTF-8"},
		{"a string of 4 GiB", "\x80\x02X\xff\xff\xff\xff", "BINUNICODE: more than 16777216 bytes of values"},
		{"a string of 2**63 bytes", "\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff", "BINUNICODE8: a length of 18446744073709551615"},
		{"an integer of 1 MiB", "\x80\x02\x8b\x00\x00\x10\x00" + strings.Repeat("\x01", 1<<20), "LONG4: more than 1024 bytes in an integer"},
		{"marks", "\x80\x02" + strings.Repeat("(", 2000), "MARK: more than 1000 marks"},
		{"a deep key", "\x80\x02})" + strings.Repeat("\x85", 300) + "Ns.", "more than 256 tuples in one another in a key"},
		{"a key that doubles", "\x80\x02}K\x01" + strings.Repeat("2\x86", 200) + "Ns.", "more than 65536 bytes in a compound key"},
		{"an empty key that doubles", "\x80\x02})" + strings.Repeat("2\x86", 200) + "Ns.", "more than 65536 bytes in a compound key"},
	} {
		_, err := decode([]byte(tc.pickle))
		var typed *Error
		if !errors.As(err, &typed) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %s", tc.name, err, tc.want)
		}
	}
}

// TestMemoryOfHostilePickles feeds a decoder ever more of what takes more memory than bytes in the pickle.
func TestMemoryOfHostilePickles(t *testing.T) {
	const size = 2 << 20
	for _, tc := range []struct{ name, start, repeated string }{
		{"None", "", "N"},
		{"lists", "", "]"},
		{"dicts", "", "}"},
		{"sets", "", "\x8f"},
		{"tuples", "", ")"},
		{"tuples of tuples", ")", "\x85"},
		{"lists of lists", "]", "]2a"},
		{"integers", "", "J\xff\xff\xff\xff"},
		{"long integers", "", "\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01"},
		{"strings", "", "U\x01x"},
		{"bytes", "", "C\x00"},
		{"dicts of one", "", "}K\x01Ns"},
		{"memo", "N", "\x94"},
		{"globals", "", "ccollections\nOrderedDict\n"},
		{"globals by name", "\x8c\x0bcollections\x94\x8c\x0bOrderedDict\x94", "h\x00h\x01\x93"},
		{"calls", "ccollections\nOrderedDict\nq\x00", "h\x00)R"},
		{"sets of a list", "c__builtin__\nset\nq\x00](" + strings.Repeat("J\xff\x00\xff\x00", 1000) + "e\x85q\x01", "h\x00h\x01R"},
		{"bytes of a string", "c_codecs\nencode\nq\x00X\x00\x00\x01\x00" + strings.Repeat("x", 1<<16) + "U\x06latin1\x86q\x01", "h\x00h\x01R"},
		{"a list that doubles", "]K\x01aK\x01aq\x01", "h\x01a"},
		{"tuples of much", "(" + strings.Repeat("N", 1000) + "tq\x01", "(h\x01h\x01h\x01h\x01t"},
	} {
		p := append([]byte("\x80\x04"+tc.start), bytes.Repeat([]byte(tc.repeated), size/len(tc.repeated))...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := decode(p)
		runtime.ReadMemStats(&after)
		var limit *LimitError
		if !errors.As(err, &limit) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", tc.name, err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 17<<20 {
			t.Errorf("%s: %d bytes were allocated for a limit of 16 MiB: %v", tc.name, got, err)
		}
	}
}

// TestEntriesOfDictsAreCharged fills dicts, whose memory grows in steps.
func TestEntriesOfDictsAreCharged(t *testing.T) {
	for _, n := range []int{1, 8, 9, 100, 1000, 10000, 60000} {
		var p bytes.Buffer
		p.WriteString("\x80\x02](")
		for made := 0; made < 1<<20; made += n {
			p.WriteString("}(")
			for i := range n {
				p.Write([]byte{'J', byte(i), byte(i >> 8), 1, 1, 'N'})
			}
			p.WriteString("u")
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := decode(p.Bytes())
		runtime.ReadMemStats(&after)
		got := after.TotalAlloc - before.TotalAlloc
		if got > 17<<20 {
			t.Errorf("dicts of %d entries: %d bytes were allocated for a limit of 16 MiB: %v", n, got, err)
		}
		t.Logf("dicts of %d entries: %d bytes allocated: %v", n, got, err)
	}
}

// TestStepsAreCounted looks up one long key over and over, which takes little memory and much time.
func TestStepsAreCounted(t *testing.T) {
	p := "\x80\x02}X\x00\x00\x01\x00" + strings.Repeat("x", 1<<16) + "q\x00Ns" + strings.Repeat("h\x00Ns", 1000)
	d := NewDecoder(strings.NewReader(p), Config{Limits: Limits{Memory: 1 << 30, Steps: 100_000}})
	var limit *LimitError
	if _, err := d.Decode(); !errors.As(err, &limit) || limit.What != "steps" {
		t.Errorf("got %v", err)
	}
}

func TestEncodeRefuses(t *testing.T) {
	cycle := Tuple{nil}
	cycle[0] = cycle
	for _, tc := range []struct {
		name  string
		value any
		want  string
	}{
		{"a value of another type", struct{}{}, "a value of type struct {}"},
		{"a cycle without a list", cycle, "more than 1000 values in one another"},
		{"text that is not UTF-8", "\xff", "not UTF-8"},
	} {
		if _, err := Encode(tc.value, nil); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %s", tc.name, err, tc.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, row := range rows(f) {
		f.Add(row.pickle)
	}
	limits := Limits{Memory: 1 << 20, Steps: 1 << 20}
	f.Fuzz(func(t *testing.T, p []byte) {
		v, err := NewDecoder(bytes.NewReader(p), Config{Limits: limits}).Decode()
		if err != nil {
			var typed *Error
			if !errors.As(err, &typed) {
				t.Fatalf("%v is not an *Error", err)
			}
			return
		}
		text, err := Encode(v, nil)
		if err != nil || len(text) > 1<<20 {
			return // deeper than what is written, or a short pickle of a long value
		}
		if _, err := NewDecoder(bytes.NewReader(text), Config{}).Decode(); err != nil && !errors.As(err, new(*LimitError)) {
			t.Fatalf("what was written is refused: %v", err)
		}
	})
}
