package vec

import (
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	for _, tc := range []struct {
		name, want string // part of the error; "" for none
	}{
		{"", ""},
		{"noasm", ""},
		{available[0].String(), ""},
		{"AVX2", "CRESSET_CPU=AVX2: want "},
		{"sse", "CRESSET_CPU=sse: want "},
	} {
		got, err := choose(tc.name)
		switch {
		case tc.want == "" && (err != nil || tc.name != "" && got.String() != tc.name):
			t.Errorf("%q: got %v, error %v", tc.name, got, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%q: got error %v, want %q", tc.name, err, tc.want)
		}
	}
}

func TestChooseRefusesWhatTheCPULacks(t *testing.T) {
	for l := range Level(len(levelNames)) {
		if _, err := choose(l.String()); err != nil && !strings.Contains(err.Error(), ": this CPU has ") {
			t.Errorf("%v: got error %v", l, err)
		}
	}
}
