package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"cresset/internal/kern/vec"
)

// version is cresset's own.
const version = "0.1.0"

type versionCommand struct {
	JSON bool `name:"json" help:"Print a JSON object on stdout."`
}

// versions says what a program was built from and runs on.
type versions struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"` // where Go recorded it, which go build does and go run does not
	Date     string `json:"date,omitempty"`   // of the commit
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	CPU      string `json:"cpu"`
	Driver   string `json:"driver,omitempty"` // of the GPUs
}

// Help tells the exit codes.
func (c *versionCommand) Help() string { return "Exit codes: 0 done, 1 failed, 2 wrong usage." }

// Run prints cresset's version, Go's, what the CPU offers, and the driver of the GPUs.
func (c *versionCommand) Run(s *session) error {
	v := ownVersions()
	v.Driver = library()
	if c.JSON {
		return json.NewEncoder(s.stdout).Encode(v)
	}
	_, err := fmt.Fprintf(s.stdout, "cresset %s%s\n%s %s\ncpu %s\n", v.Version, v.source(), v.Go, v.Platform, v.CPU)
	if err == nil && v.Driver != "" {
		_, err = fmt.Fprintf(s.stdout, "driver %s\n", v.Driver)
	}
	return err
}

// ownVersions says what this program was built from and runs on, GPUs apart.
func ownVersions() versions {
	v := versions{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, CPU: vec.Current().String()}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.read(info.Settings)
	}
	return v
}

func (v *versions) read(settings []debug.BuildSetting) {
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Date = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
}

// source says which commit it is, for people.
func (v *versions) source() string {
	if v.Commit == "" {
		return " (built without its commit)"
	}
	text := fmt.Sprintf("%.12s", v.Commit)
	if day, _, ok := strings.Cut(v.Date, "T"); ok {
		text += " of " + day
	}
	if v.Modified {
		text += ", modified"
	}
	return " (" + text + ")"
}
