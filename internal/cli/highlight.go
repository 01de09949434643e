package cli

import (
	"go/scanner"
	"go/token"
	"strings"
)

// highlight colors Go: keywords, texts and comments, and nothing else.
func (l look) highlight(code string) string {
	var s scanner.Scanner
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(code))
	s.Init(file, []byte(code), nil, scanner.ScanComments)
	var b strings.Builder
	done := 0
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			b.WriteString(code[done:])
			return b.String()
		}
		style := l.keyword
		switch {
		case kind == token.STRING, kind == token.CHAR:
			style = l.text
		case kind == token.COMMENT:
			style = l.comment
		case !kind.IsKeyword():
			continue
		}
		at := file.Offset(pos)
		b.WriteString(code[done:at] + style.Render(text))
		done = at + len(text)
	}
}
