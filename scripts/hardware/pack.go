package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
)

// Test binaries hold the same packages, each of which gzip would pack again: it looks back 32 KiB. So an archive has them in one file,
// in which what repeats, be it in another binary, is told by its place. The first run of the kit makes them of it.

const packedFile = "binaries"

// packed is a program in packedFile.
type packed struct {
	Path string `json:"path"` // below the kit's root
	Size int    `json:"size"`
}

// repeats is the shortest piece that is worth telling by its place.
const repeats = 32

// pack returns text, behind dict, as pieces of it and copies of what came before: the length of the list of copies, the list, and the
// pieces. A copy is the length of the piece before it, its own length, and how far back it is.
func pack(dict, text []byte) []byte {
	s := append(bytes.Clone(dict), text...)
	var copies, pieces []byte
	seen := newPlaces(s)
	done := len(dict)
	for i := range dict {
		seen.pass(i)
	}
	for i := len(dict); i+repeats <= len(s); {
		from, at, n := seen.find(i, done)
		if n == 0 {
			seen.pass(i)
			i++
			continue
		}
		for ; i < at+n; i++ {
			seen.pass(i)
		}
		for _, number := range [...]int{at - done, n, at - from} {
			copies = binary.AppendUvarint(copies, uint64(number))
		}
		pieces = append(pieces, s[done:at]...)
		done = i
	}
	out := binary.AppendUvarint(nil, uint64(len(copies)))
	return append(append(append(out, copies...), pieces...), s[done:]...)
}

// places finds where a text has been before: by a hash of the next bytes, which moves along.
type places struct {
	s    []byte
	hash uint64 // of the bytes from the last place passed on
	high uint64 // what the first of them counts for
	at   []uint32
}

const (
	hashBase  = 0x203
	hashBits  = 23
	placeStep = 8 // of places that are kept
)

func newPlaces(s []byte) *places {
	p := &places{s: s, high: 1, at: make([]uint32, 1<<hashBits)}
	for i := range repeats {
		if i > 0 {
			p.high *= hashBase
		}
		if i < len(s) {
			p.hash = p.hash*hashBase + uint64(s[i])
		}
	}
	return p
}

func (p *places) slot() *uint32 { return &p.at[p.hash*0x9E3779B97F4A7C15>>(64-hashBits)] }

// pass keeps the place i, perhaps, and goes on to the next.
func (p *places) pass(i int) {
	if i%placeStep == 0 {
		*p.slot() = uint32(i + 1)
	}
	if i+repeats < len(p.s) {
		p.hash = (p.hash-uint64(p.s[i])*p.high)*hashBase + uint64(p.s[i+repeats])
	}
}

// find returns a piece at i, or from before it but not before done, that is elsewhere before: from is where. n is 0 where there is none.
func (p *places) find(i, done int) (from, at, n int) {
	from, at = int(*p.slot())-1, i
	if from < 0 || !bytes.Equal(p.s[from:from+repeats], p.s[at:at+repeats]) {
		return 0, 0, 0
	}
	for n = repeats; at+n < len(p.s) && p.s[from+n] == p.s[at+n]; n++ {
	}
	for at > done && from > 0 && p.s[from-1] == p.s[at-1] {
		from, at, n = from-1, at-1, n+1
	}
	return from, at, n
}

var errPacked = errors.New(packedFile + " is not what was packed")

// restore is the inverse of pack for a text of so many bytes.
func restore(dict, in []byte, size int) ([]byte, error) {
	n, used := binary.Uvarint(in)
	if used <= 0 || n > uint64(len(in)-used) {
		return nil, errPacked
	}
	copies, pieces := in[used:used+int(n)], in[used+int(n):]
	s := make([]byte, 0, len(dict)+size)
	s = append(s, dict...)
	for len(copies) > 0 {
		var numbers [3]int
		for i := range numbers {
			v, used := binary.Uvarint(copies)
			if used <= 0 || v > uint64(cap(s)) {
				return nil, errPacked
			}
			numbers[i], copies = int(v), copies[used:]
		}
		piece, n, back := numbers[0], numbers[1], numbers[2]
		if piece > len(pieces) || back > len(s)+piece || back == 0 || len(s)+piece+n > cap(s) {
			return nil, errPacked
		}
		s, pieces = append(s, pieces[:piece]...), pieces[piece:]
		for from := len(s) - back; n > 0; { // a copy may overlap itself
			part := s[from:min(from+n, len(s))]
			s, from, n = append(s, part...), from+len(part), n-len(part)
		}
	}
	if s = append(s, pieces...); len(s) != len(dict)+size {
		return nil, errPacked
	}
	return s[len(dict):], nil
}

// packBinaries puts programs of a kit into one file. What this program has in common with them is taken from it.
func packBinaries(root string, paths []string) (list []packed, err error) {
	dict, err := os.ReadFile(filepath.Join(root, "hardware"))
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, path := range paths {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return nil, err
		}
		list, all = append(list, packed{path, len(text)}), append(all, text...)
		if err := os.Remove(filepath.Join(root, path)); err != nil {
			return nil, err
		}
	}
	return list, os.WriteFile(filepath.Join(root, packedFile), pack(dict, all), 0o644)
}

// unpackBinaries makes the programs of a kit, the first time that it runs.
func unpackBinaries(root string, list []packed) error {
	file := filepath.Join(root, packedFile)
	in, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	dict, err := os.ReadFile(filepath.Join(root, "hardware"))
	if err != nil {
		return err
	}
	size := 0
	for _, p := range list {
		size += p.Size
	}
	all, err := restore(dict, in, size)
	if err != nil {
		return err
	}
	for _, p := range list {
		if err := os.WriteFile(filepath.Join(root, p.Path), all[:p.Size], 0o755); err != nil {
			return err
		}
		all = all[p.Size:]
	}
	return os.Remove(file)
}
