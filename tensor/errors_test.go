package tensor

import (
	"errors"
	"testing"

	"cresset/internal/golden"
)

const errorsFile = "testdata/errors_torch26_cpu.txt"

// errorCase is a mistake: golden is its key in errorsFile, or text is what it must say where the file has no such case.
type errorCase struct {
	golden, text string
	kind         error
	do           func()
}

// errorFamilies hold the mistakes that can be made with each family of ops.
var errorFamilies = map[string]func() []errorCase{
	"elementwise": elementwiseErrors,
	"view":        viewErrors,
	"join":        joinErrors,
	"index":       indexErrors,
	"conv":        convErrors,
	"pool":        poolErrors,
	"norm":        normErrors,
	"loss":        lossErrors,
	"product":     productErrors,
	"random":      randomErrors,
	"reduction":   reductionErrors,
	"to":          toErrors,
	"leaf":        leafErrors,
}

func TestErrors(t *testing.T) {
	for name, family := range errorFamilies {
		t.Run(name, func(t *testing.T) { checkErrors(t, family()) })
	}
}

// checkErrors makes each mistake and compares text and kind.
func checkErrors(t *testing.T, cases []errorCase) {
	t.Helper()
	texts := make(map[string]string)
	for _, e := range golden.Read(t, errorsFile) {
		if e.Exception != "" {
			texts[e.Key] = e.Text
		}
	}
	for _, c := range cases {
		want, ok := c.text, true
		if c.golden != "" {
			want, ok = texts[c.golden]
		}
		if !ok {
			t.Errorf("there is no golden %q", c.golden)
			continue
		}
		err := Try(c.do)
		switch {
		case err == nil:
			t.Errorf("%s: no error, want %q", c.golden, want)
		case err.Error() != want:
			t.Errorf("%s: got  %q\nwant %q", c.golden, err, want)
		case c.kind != nil && !errors.Is(err, c.kind):
			t.Errorf("%s: %q is not of the kind %q", c.golden, err, c.kind)
		}
	}
}
