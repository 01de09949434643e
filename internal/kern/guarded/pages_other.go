//go:build !unix

package guarded

import "testing"

func pages(_ testing.TB, bytes int) []byte { return make([]byte, (bytes+63)/64*64) }
