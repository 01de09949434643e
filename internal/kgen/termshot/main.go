// Command termshot draws what a program prints as an SVG picture of a terminal, for the documentation:
//
//	go run ./internal/kgen/termshot cresset train > docs/train.svg
//	go run ./internal/kgen/termshot -sim h200:4 -beside "train --device cuda:0" cresset smi > docs/smi.svg
//
// The first runs go run ./cmd/cresset train and draws its output under that command line. The second draws a simulated
// machine on which a training runs.
package main

import (
	"errors"
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	charWidth  = 8.4
	lineHeight = 18.0
	margin     = 16.0
)

func main() {
	machine := flag.String("sim", "", "CRESSET_SIM of the program, on a machine of its own")
	beside := flag.String("beside", "", "arguments of a program that runs meanwhile")
	flag.Parse()
	if flag.Arg(0) != "cresset" {
		fmt.Fprintln(os.Stderr, "usage: termshot [-sim MACHINE] [-beside 'ARGS...'] cresset ARGS...")
		os.Exit(2)
	}
	output, err := shoot(*machine, strings.Fields(*beside), flag.Args()[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, output)
		os.Exit(1)
	}
	prompt := "$ go run ./cmd/cresset " + strings.Join(flag.Args()[1:], " ")
	if *machine != "" {
		prompt = "$ CRESSET_SIM=" + *machine + strings.TrimPrefix(prompt, "$")
	}
	fmt.Print(draw(append([]string{prompt}, strings.Split(strings.TrimRight(string(output), "\n"), "\n")...)))
}

// shoot returns what the program prints while another runs, on a simulated machine that nobody else sees.
func shoot(machine string, beside, args []string) (output []byte, err error) {
	dir, err := os.MkdirTemp("", "termshot")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(os.TempDir(), "termshot", "cresset") // a path that pictures can show
	defer os.RemoveAll(filepath.Dir(program))
	if output, err := exec.Command("go", "build", "-o", program, "./cmd/cresset").CombinedOutput(); err != nil {
		return output, err
	}
	command := func(args ...string) *exec.Cmd {
		c := exec.Command(program, args...)
		c.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "CRESSET_SIM_STATE="+dir)
		if machine != "" {
			c.Env = append(c.Env, "CRESSET_SIM="+machine)
		}
		return c
	}
	if len(beside) > 0 {
		other := command(beside...)
		if err := other.Start(); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, other.Process.Kill()); _ = other.Wait() }()
		if err := await(command); err != nil {
			return nil, err
		}
	}
	return command(args...).CombinedOutput()
}

// await waits until a program keeps a GPU of the machine busy.
func await(command func(...string) *exec.Cmd) error {
	for range 100 {
		busy, err := command("smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits").Output()
		if err != nil || strings.ContainsAny(string(busy), "123456789") {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.New("the program beside keeps no GPU busy")
}

// draw returns the picture of a terminal that shows the lines.
func draw(lines []string) string {
	columns := 0
	for _, l := range lines {
		columns = max(columns, len([]rune(l)))
	}
	width, height := 2*margin+float64(columns)*charWidth, 2*margin+float64(len(lines))*lineHeight
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="#d8dee9">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="#1f2430"/>`+"\n")
	for i, l := range lines {
		y := margin + float64(i)*lineHeight
		text := strings.Map(func(r rune) rune {
			if isBraille(r) {
				return ' '
			}
			return r
		}, l)
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" xml:space="preserve" textLength="%.1f">%s</text>`+"\n",
			margin, y+14, float64(len([]rune(text)))*charWidth, html.EscapeString(text))
		for x, r := range []rune(l) {
			dots(&b, margin+float64(x)*charWidth, y, r)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func isBraille(r rune) bool { return r >= 0x2800 && r <= 0x28ff }

// brailleDots places the bits of a braille character, as column and row.
var brailleDots = [8][2]float64{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}}

// dots draws a braille character dot by dot, which looks the same in every font.
func dots(b *strings.Builder, x, y float64, r rune) {
	if !isBraille(r) {
		return
	}
	for i, at := range brailleDots {
		if (r-0x2800)&(1<<i) != 0 {
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="1.4" fill="#88c0d0"/>`+"\n", x+2.1+4.2*at[0], y+2.2+4.5*at[1])
		}
	}
}
