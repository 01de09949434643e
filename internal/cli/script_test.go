package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"cresset/internal/race"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"cresset": func() { os.Exit(Main()) }, "panicking": panicOnTerminal, "faulty": faulty})
}

// TestScripts runs the command as its users do. go test ./internal/cli -run Scripts -update rewrites what the scripts compare with.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"idx":     writeIDX,
			"picture": writePicture,
			"keys":    checkKeys,
			"code":    checkCode,

			"recorded": copyRecorded,
			"decoder":  writeDecoder,
		},
		Condition: func(name string) (bool, error) {
			if name != "race" {
				return false, fmt.Errorf("no condition is called %q", name)
			}
			return race.Enabled, nil
		},
	})
}

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

// writeIDX writes a pair of files, idx DIR SET N [gz|cut|lie]: N pictures of 8x8 with two classes, a bright row each.
// Cut leaves out the last byte, lie claims more pictures than there are.
func writeIDX(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: idx DIR SET N [gz|cut|lie]")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	kind := append(args, "")[3]
	claim := uint32(n)
	if kind == "lie" {
		claim = 1 << 30
	}
	pixels, labels := make([]byte, 64*n), make([]byte, n)
	for i := range labels {
		labels[i] = byte(i % 2)
		for x := range 8 {
			pixels[64*i+32*(i%2)+x] = 255
		}
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	for name, file := range map[string][]byte{
		"images-idx3-ubyte": append(idxHeader(claim, 8, 8), pixels...),
		"labels-idx1-ubyte": append(idxHeader(claim), labels...),
	} {
		path := filepath.Join(dir, args[1]+"-"+name)
		switch kind {
		case "gz":
			path, file = path+".gz", gzipped(file)
		case "cut":
			file = file[:len(file)-1]
		}
		ts.Check(os.WriteFile(path, file, 0o644))
	}
}

// writePicture writes a picture, picture FILE HEIGHT WIDTH GROUND INK TOP BOTTOM, whose rows from TOP to BOTTOM are of the brightness INK,
// and the others of GROUND. Its extension tells the format.
func writePicture(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 7 {
		ts.Fatalf("usage: picture FILE HEIGHT WIDTH GROUND INK TOP BOTTOM")
	}
	var n [6]int
	for i := range n {
		var err error
		n[i], err = strconv.Atoi(args[i+1])
		ts.Check(err)
	}
	picture := image.NewGray(image.Rect(0, 0, n[1], n[0]))
	for i := range picture.Pix {
		picture.Pix[i] = uint8(n[2])
		if row := i / picture.Stride; row >= n[4] && row < n[5] {
			picture.Pix[i] = uint8(n[3])
		}
	}
	var b bytes.Buffer
	if filepath.Ext(args[0]) == ".png" {
		ts.Check(png.Encode(&b, picture))
	} else {
		ts.Check(jpeg.Encode(&b, picture, nil))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o644))
}

func idxHeader(sizes ...uint32) []byte {
	header := []byte{0, 0, 8, byte(len(sizes))}
	for _, s := range sizes {
		header = binary.BigEndian.AppendUint32(header, s)
	}
	return header
}

func gzipped(file []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(file)
	w.Close()
	return b.Bytes()
}

// checkKeys wants one JSON object on stdout, and nothing else, with just these keys: keys KEY...
func checkKeys(ts *testscript.TestScript, neg bool, args []string) {
	var got map[string]any
	d := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile("stdout"))))
	ts.Check(d.Decode(&got))
	if d.More() {
		ts.Fatalf("more than an object on stdout")
	}
	slices.Sort(args)
	if have := slices.Sorted(maps.Keys(got)); slices.Equal(have, args) == neg {
		ts.Fatalf("got keys %v, want %v", have, args)
	}
}

// checkCode runs a command and wants an exit code: code N PROGRAM ARG...
func checkCode(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// othersFiles are checkpoints that others have written. Tests run in their package's folder.
var othersFiles = os.DirFS("../../checkpoint/testdata")

// copyRecorded takes files of others into the script's folder: recorded FILE...
func copyRecorded(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		content, err := fs.ReadFile(othersFiles, name)
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(name), content, 0o644))
	}
}
