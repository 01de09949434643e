package backend

import (
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Site is a line of source code. Its zero value stands for none that is known.
type Site struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
}

// String returns the last folder, the file and the line: "train/main.go:30".
func (s Site) String() string {
	if s.Line == 0 {
		return "an unknown place"
	}
	file := filepath.ToSlash(s.File)
	return path.Join(path.Base(path.Dir(file)), path.Base(file)) + ":" + strconv.Itoa(s.Line)
}

// UserSite returns the line of the program that led here: the first outside of this module's libraries. Where a goroutine of
// the libraries leads here it is the line at which that one began.
func UserSite() Site {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	last := Site{}
	for {
		f, more := frames.Next()
		site := Site{File: f.File, Line: f.Line, Function: f.Function}
		switch {
		case isUser(f.Function, f.File):
			return site
		case strings.HasPrefix(f.Function, module):
			last = site
		}
		if !more {
			return last
		}
	}
}

const module = "cresset/"

// callers are the packages of the standard library through which a library of ours may be called back.
var callers = map[string]bool{"runtime": true, "reflect": true, "sync": true, "slices": true, "sort": true, "iter": true, "maps": true}

// programs are the packages of this module that use its libraries as any program does.
var programs = []string{module + "internal/cli.", module + "internal/tour.", module + "examples/"}

// isUser reports whether a function is the program's own; a test is a program too.
func isUser(function, file string) bool {
	if strings.HasSuffix(file, "_test.go") {
		return true
	}
	if strings.HasPrefix(function, module) {
		return slices.ContainsFunc(programs, func(p string) bool { return strings.HasPrefix(function, p) })
	}
	name, _, _ := strings.Cut(function[strings.LastIndexByte(function, '/')+1:], ".")
	return function != "" && (strings.Contains(function, "/") || !callers[name])
}
