package data

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomediumitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonobolditalic"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

var update = flag.Bool("update", false, "write glyph_faces.txt from the fonts")

// TestFacesAreTheFonts compares glyph_faces.txt with the fonts. The small caps are left out: their digits are those of the
// regular fonts.
func TestFacesAreTheFonts(t *testing.T) {
	var b strings.Builder
	b.WriteString(facesHead)
	for _, f := range []struct {
		name string
		ttf  []byte
	}{
		{"goregular", goregular.TTF}, {"gomedium", gomedium.TTF}, {"gobold", gobold.TTF}, {"goitalic", goitalic.TTF},
		{"gobolditalic", gobolditalic.TTF}, {"gomono", gomono.TTF}, {"gomonobold", gomonobold.TTF},
		{"gomonobolditalic", gomonobolditalic.TTF}, {"gomediumitalic", gomediumitalic.TTF}, {"gomonoitalic", gomonoitalic.TTF},
	} {
		parsed, err := sfnt.Parse(f.ttf)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, "#", f.name)
		for digit := range 10 {
			if err := writeDigit(&b, parsed, digit); err != nil {
				t.Fatalf("digit %d of %s: %v", digit, f.name, err)
			}
		}
	}
	if *update {
		if err := os.WriteFile("glyph_faces.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if facesText != b.String() {
		t.Error("glyph_faces.txt is not what the fonts say; go test ./data -run TestFacesAreTheFonts -update writes it")
	}
}

// writeDigit writes a glyph in font units: its box, then its segments.
func writeDigit(b *strings.Builder, f *sfnt.Font, digit int) error {
	glyph, err := f.GlyphIndex(nil, rune('0'+digit))
	if err != nil {
		return err
	}
	unitsPerEm := fixed.Int26_6(f.UnitsPerEm())
	segments, err := f.LoadGlyph(nil, glyph, unitsPerEm, nil)
	if err != nil {
		return err
	}
	box, _, err := f.GlyphBounds(nil, glyph, unitsPerEm, font.HintingNone)
	if err != nil {
		return err
	}
	fmt.Fprint(b, int(box.Min.X), " ", int(box.Min.Y), " ", int(box.Max.X), " ", int(box.Max.Y))
	for _, s := range segments {
		switch to := s.Args[0]; s.Op {
		case sfnt.SegmentOpMoveTo:
			fmt.Fprint(b, " M ", int(to.X), " ", int(to.Y))
		case sfnt.SegmentOpLineTo:
			fmt.Fprint(b, " L ", int(to.X), " ", int(to.Y))
		case sfnt.SegmentOpQuadTo:
			fmt.Fprint(b, " Q ", int(to.X), " ", int(to.Y), " ", int(s.Args[1].X), " ", int(s.Args[1].Y))
		default:
			return fmt.Errorf("segment %d is not TrueType's", s.Op)
		}
	}
	b.WriteString("\n")
	return nil
}

// facesHead is the head of glyph_faces.txt, with the licence of the fonts.
const facesHead = `# The digits of the Go fonts (golang.org/x/image/font/gofont), written by TestFacesAreTheFonts. A line is a digit, from 0 to 9:
# its box (low x, low y, high x, high y), then the segments of its outline, in font units with y down, as in SVG: M moves,
# L is a line, Q a quadratic curve (control point, end). The last two faces are for the test set alone.
#
# These fonts were created by the Bigelow & Holmes foundry specifically for the
# Go project. See https://blog.golang.org/go-fonts for details.
#
# They are licensed under the same open source license as the rest of the Go
# project's software:
#
# Copyright (c) 2016 Bigelow & Holmes Inc.. All rights reserved.
#
# Distribution of this font is governed by the following license. If you do not
# agree to this license, including the disclaimer, do not distribute or modify
# this font.
#
# Redistribution and use in source and binary forms, with or without
# modification, are permitted provided that the following conditions are met:
#
#  * Redistributions of source code must retain the above copyright notice,
#    this list of conditions and the following disclaimer.
#
#  * Redistributions in binary form must reproduce the above copyright notice,
#    this list of conditions and the following disclaimer in the documentation
#    and/or other materials provided with the distribution.
#
#  * Neither the name of Google Inc. nor the names of its contributors may be
#    used to endorse or promote products derived from this software without
#    specific prior written permission.
#
# DISCLAIMER: THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS
# "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO,
# THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE
# ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE
# FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
# DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
# SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER
# CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY,
# OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
# OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
`
