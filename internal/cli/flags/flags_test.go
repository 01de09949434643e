package flags

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

type common struct {
	N int `short:"n" default:"1" help:"How many."`
}

type options struct {
	common   `embed:""`
	MinFree  string        `placeholder:"SIZE" help:"Least memory."`
	Kind     string        `enum:"a,b" default:"a" help:"Kind."`
	Quiet    bool          `short:"q" help:"Say less."`
	List     bool          `short:"L" help:"List."`
	Scopes   bool          `default:"true" negatable:"" help:"Scopes."`
	Wait     time.Duration `help:"Wait."`
	Limit    *int          `help:"Limit."`
	Threads  []int         `help:"Threads."`
	Rate     float64       `help:"Rate."`
	Internal string        `hidden:"" help:"Internal."`
	Match    string        `arg:"" optional:"" help:"Pattern."`
}

func (o *options) Validate() error {
	if o.Rate < 0 {
		return errors.New("a negative rate")
	}
	return nil
}

type wrapper struct {
	common  `embed:""`
	Command []string `arg:"" passthrough:"" help:"Command."`
}

func commands() []Command {
	return []Command{{"show", "Show.", &options{}}, {"run", "Run.", &wrapper{}}}
}

func TestParse(t *testing.T) {
	limit := 0
	usual := options{common: common{1}, Kind: "a", Scopes: true}
	with := func(change func(*options)) *options {
		o := usual
		change(&o)
		return &o
	}
	for _, tc := range []struct {
		args string
		want any
	}{
		{"show", &usual},
		{"show x", with(func(o *options) { o.Match = "x" })},
		{"show --min-free 20GiB --kind=b", with(func(o *options) { o.MinFree, o.Kind = "20GiB", "b" })},
		{"show --min-free=", &usual},
		{"show -qLn3", with(func(o *options) { o.Quiet, o.List, o.N = true, true, 3 })},
		{"show -n -3 --limit 0 --wait 10m", with(func(o *options) { o.N, o.Limit, o.Wait = -3, &limit, 10*time.Minute })},
		{"show --no-scopes --quiet=false", with(func(o *options) { o.Scopes = false })},
		{"show --threads 1,2 --threads=4", with(func(o *options) { o.Threads = []int{1, 2, 4} })},
		{"show -- -q", with(func(o *options) { o.Match = "-q" })},
		{"run -n 2 echo -n -- --help", &wrapper{common{2}, strings.Fields("echo -n -- --help")}},
		{"run -- echo -n", &wrapper{common{1}, strings.Fields("echo -n")}},
	} {
		c, help, err := Parse(commands(), strings.Fields(tc.args))
		if err != nil || help {
			t.Errorf("%s: help %v, %v", tc.args, help, err)
		} else if !reflect.DeepEqual(c.Into, tc.want) {
			t.Errorf("%s: got %+v, want %+v", tc.args, c.Into, tc.want)
		}
	}
}

func TestWrongCommandLines(t *testing.T) {
	for args, want := range map[string]string{
		"shwo":              `unexpected argument shwo, did you mean "show"?`,
		"--quiet":           "unexpected flag --quiet",
		"show x y":          "unexpected argument y",
		"show --quite":      `unknown flag --quite, did you mean "--quiet"?`,
		"show --internals":  "unknown flag --internals",
		"show -x":           "unknown flag -x",
		"show --kind c":     `--kind must be one of "a","b" but got "c"`,
		"show --n":          "--n: expected a value",
		"show -n --quiet":   "--n: expected a value",
		"show --n many":     `--n: expected a valid 64 bit int but got "many"`,
		"show --threads 1,": `--threads: expected a valid 64 bit int but got ""`,
		"show --wait soon":  `--wait: expected a duration such as 10m but got "soon"`,
		"show --rate=x":     `--rate: expected a number but got "x"`,
		"show --rate -1":    "a negative rate",
		"show --quiet=x":    `--quiet: expected true or false but got "x"`,
		"run -n 2":          "expected <command>",
		"run --":            "expected <command>",
	} {
		if _, _, err := Parse(commands(), strings.Fields(args)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", args, err, want)
		}
	}
}

func TestUsage(t *testing.T) {
	const want = `Usage: cresset show [<match>] [flags]

Show.

Arguments:
  [<match>]    Pattern.

Flags:
  -h, --help             Show this help.
  -n, --n=1              How many.
      --min-free=SIZE    Least memory.
      --kind=a           Kind.
  -q, --quiet            Say less.
  -L, --list             List.
      --[no-]scopes      Scopes.
      --wait             Wait.
      --limit            Limit.
      --threads          Threads.
      --rate             Rate.
`
	for _, args := range []string{"show --help", "show -qh", "show --rate -1 -h"} {
		c, help, err := Parse(commands(), strings.Fields(args))
		if err != nil || !help {
			t.Fatalf("%s: help %v, %v", args, help, err)
		}
		if got := c.Usage("cresset"); got != want {
			t.Errorf("%s: got\n%s", args, got)
		}
	}
}
