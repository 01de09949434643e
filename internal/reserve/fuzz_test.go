package reserve

import (
	"bytes"
	"testing"
)

// FuzzHolder reads what others may have written into a lock file: it tells nobody, or a holder that is the same when it is
// written and read again.
func FuzzHolder(f *testing.F) {
	f.Add([]byte("{\"pid\":7,\"name\":\"sh\",\"namespace\":\"pid:[4026531836]\"}\nrest"))
	f.Add([]byte("{\"pid\":-7}\n"))
	f.Add([]byte("{\"pid\":7,\"name\":\"\\ud800\"}\n"))
	f.Add([]byte("{\"pid\":7"))
	f.Fuzz(func(t *testing.T, text []byte) {
		h := parseHolder(text)
		if h == (Holder{}) {
			return
		}
		line, err := h.line()
		if err != nil || len(line) > maxLine || bytes.Count(line, []byte("\n")) != 1 {
			t.Fatalf("got %q, %v", line, err)
		}
		if again := parseHolder(line); again != h {
			t.Errorf("got %+v, want %+v", again, h)
		}
	})
}
