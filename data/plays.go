package data

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
)

//go:embed plays.txt.gz
var packedPlays []byte

// Plays returns Richard III, Richard II and Romeo and Juliet, as the collection tinyshakespeare has them: a text of 421,989 characters, 62 different ones, from which
// small models learn to write. Shakespeare's works are in the public domain.
func Plays() string {
	unpack, err := gzip.NewReader(bytes.NewReader(packedPlays))
	if err != nil {
		panic(err) // the file is a part of the program
	}
	text, err := io.ReadAll(unpack)
	if err != nil {
		panic(err)
	}
	return string(text)
}
