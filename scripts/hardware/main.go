// Command hardware makes an archive that tests and times cresset on a machine with NVIDIA's driver and without Go:
//
//	go run ./scripts/hardware -o hardware.tar.gz
//
// On that machine the same program, which lies in the archive beside kit.json, runs what came with it and writes a report:
//
//	tar xzf hardware.tar.gz && cresset-hardware/hardware
//
// Of a library the machine needs the C library, as the driver does; the program itself needs none.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// kit says what an archive holds, in kit.json.
type kit struct {
	Commit   string    `json:"commit"` // "+changes" follows where the source differed from it
	Go       string    `json:"go"`
	Platform string    `json:"platform"` // "linux/amd64"
	Packages []string  `json:"packages"` // whose tests it holds, in the order in which they run
	LeftOut  []absence `json:"left_out"`
	Programs []packed  `json:"programs"` // of packedFile
}

// absence is a package whose tests could open NVIDIA's libraries and are not in the archive.
type absence struct {
	Package string `json:"package"`
	Reason  string `json:"reason"`
}

const kitFile = "kit.json"

func main() {
	if err := choose(); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "hardware:", err)
		os.Exit(1)
	}
}

// choose runs the kit that lies beside the program, and builds one where there is none.
func choose() error {
	self, err := os.Executable()
	if err != nil { // there is no /proc
		if self, err = filepath.Abs(os.Args[0]); err != nil {
			return err
		}
	}
	root := filepath.Dir(self)
	text, err := os.ReadFile(filepath.Join(root, kitFile))
	if os.IsNotExist(err) {
		return buildCommand(os.Args[1:])
	}
	if err != nil {
		return err
	}
	var k kit
	if err := json.Unmarshal(text, &k); err != nil {
		return fmt.Errorf("%s: %w", kitFile, err)
	}
	return runCommand(root, k, os.Args[1:])
}

// testBinary returns the path of a package's tests below a kit's root. Its folder is where go test would run them.
func testBinary(pkg string) string {
	return filepath.Join("tests", filepath.FromSlash(pkg), filepath.Base(pkg)+".test")
}
