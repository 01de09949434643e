package main

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	a, b := random(5000), random(3000)
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for name, tc := range map[string]struct {
		dict, text []byte
		most       int // bytes that it may take
	}{
		"nothing":               {nil, nil, 1},
		"short":                 {[]byte("x"), []byte("hello"), 6},
		"new":                   {b, a, 5001},
		"all in the dictionary": {join(b, a), a, 40},
		"repeats":               {nil, join(a, b, a[100:4000], b, a), 8100},
		"runs":                  {nil, bytes.Repeat([]byte{7}, 1<<16), 100},
		"changed":               {a, join(a[:2000], []byte("!"), a[2001:]), 60},
	} {
		in := pack(tc.dict, tc.text)
		got, err := restore(tc.dict, in, len(tc.text))
		if err != nil || !bytes.Equal(got, tc.text) {
			t.Errorf("%s: comes back changed, %v", name, err)
		}
		if len(in) > tc.most {
			t.Errorf("%s: %d bytes, want at most %d", name, len(in), tc.most)
		}
		for cut := range min(len(in), 50) { // what is damaged may be wrong, but is never a crash
			restore(tc.dict, in[cut+1:], len(tc.text))
			restore(tc.dict, in[:cut], len(tc.text))
		}
	}
}
