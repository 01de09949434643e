package ptx

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cresset/internal/race"

	"github.com/ulikunitz/xz/lzma"
)

// TestCommittedModulesParse reads every module of testdata: an instruction that is not implemented is an error of Parse.
func TestCommittedModulesParse(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal("no modules", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(filepath.Base(file), string(text))
		if err != nil {
			t.Error(err)
			continue
		}
		if len(m.Kernels) == 0 {
			t.Errorf("%s has no kernels", file)
		}
	}
}

func TestParseErrors(t *testing.T) {
	head := ".version 7.0\n.target sm_60\n.address_size 64\n"
	body := func(code string) string {
		return head + ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<4>; .reg .b64 %d<4>;\n" + code + "\n}\n"
	}
	for _, tc := range []struct {
		name, text string
		line       int
		want       string
	}{
		{"nothing", "", 1, ".version and .target"},
		{"no PTX", "hello", 1, `unknown directive "hello"`},
		{"a target of others", ".version 7.0\n.target gfx90", 1, ".target sm_N"},
		{"32-bit addresses", ".version 7.0\n.target sm_60\n.address_size 32", 3, "64-bit"},
		{"a function", head + ".func f()\n{ ret; }", 4, "must be inlined"},
		{"a stray character", head + "#", 4, "unexpected character '#'"},
		{"an open comment", head + "/* \n\n", 4, "a comment does not end"},
		{"an open string", head + ".pragma \"a\n", 4, "a string does not end"},
		{"an open kernel", body("ret;")[:len(body("ret;"))-2], 9, "does not end"},
		{"an unknown opcode", body("ret;\nsuld.b.1d.b32.trap;"), 9, "unknown instruction suld.b.1d.b32.trap"},
		{"an unknown type", body("add.s128 %r1, %r1, %r1;"), 8, "unknown instruction add.s128"},
		{"an unknown modifier", body("ld.global.xx.b32 %r1, [%d1];"), 8, `"xx" is no type or modifier`},
		{"memory of another kind", body("ld.local.b32 %r1, [%d1];"), 8, "unknown instruction ld.local.b32"},
		{"a rounding that is missing", body("fma.f32 %r1, %r1, %r1, %r1;"), 8, "unknown instruction fma.f32"},
		{"a rounding of another kind", body("add.rz.f32 %r1, %r1, %r1;"), 8, "unknown instruction add.rz.f32"},
		{"a conversion without direction", body("cvt.f32.s32 %r1, %r1;"), 8, "does not take this rounding"},
		{"too few operands", body("add.s32 %r1, %r2;"), 8, "takes 3 operands, have 2"},
		{"an undeclared register", body("add.s32 %r1, %r2, %r9;"), 8, "register %r9 is neither declared nor a special register"},
		{"a register of another width", body("add.s32 %r1, %r2, %d1;"), 8, "register %d1 holds 64 bits, want at most 32 bits"},
		{"a predicate as a number", body("add.s32 %r1, %p1, 1;"), 8, "register %p1 holds a predicate"},
		{"a number as a predicate", body("@%r1 ret;"), 8, "register %r1 holds at most 32 bits, want a predicate"},
		{"a special register that is not supported", body("mov.u32 %r1, %clock;"), 8, "%clock"},
		{"an undeclared label", body("bra nowhere;"), 8, "label nowhere is not defined"},
		{"a label twice", body("a: ret;\na: ret;"), 9, "label a stands twice"},
		{"an undeclared variable", body("mov.u64 %d1, nothing;"), 8, "nothing is not declared"},
		{"an integer for a float", body("add.rn.f32 %r1, %r1, 1;"), 8, "does not fit the type f32"},
		{"a store to constants", body("st.const.b32 [%d1], %r1;"), 8, "cannot be written"},
		{"a wrong vector", body("ld.global.v4.b32 {%r1, %r2}, [%d1];"), 8, "moves 4 registers, have 2"},
		{"a wide vector", body("ld.global.v4.b64 {%d1, %d1, %d1, %d1}, [%d1];"), 8, "unknown instruction"},
		{"a narrow address", body("ld.global.b32 %r1, [%r1];"), 8, "takes 64 bits"},
		{"too much shared memory", body(".shared .b8 x[300000];"), 8, "larger than 228 KiB"},
		{"too many registers", body(".reg .b32 %q<65537>;"), 8, "at most 65536"},
		{"a kernel twice", head + ".entry k() { ret; }\n.entry k() { ret; }", 5, "defined twice"},
		{"a variable twice", head + ".global .u32 a;\n.global .u32 a;", 5, "declared twice"},
		{"too many values", head + ".global .u32 a[2] = {1, 2, 3};", 4, "more initial values"},
		{"an odd alignment", head + ".global .align 3 .u32 a;", 4, "no power of two"},
		{"operands past the end", body("add.s32 %r1"), 9, `want ","`},
	} {
		_, err := Parse("m.ptx", tc.text)
		var e *ParseError
		if !errors.As(err, &e) || e.Line != tc.line || !strings.Contains(e.Text, tc.want) || e.Name != "m.ptx" {
			t.Errorf("%s: got %v, want line %d: %s", tc.name, err, tc.line, tc.want)
		}
	}
}

func TestParseLayout(t *testing.T) {
	m, err := Parse("m", `.version 8.5
.target sm_90a
.address_size 64
.global .align 16 .b8 data[5] = {1, 2, 0xff};
.const .f64 half = 0d3FE0000000000000;
.shared .align 16 .b8 room[16];
.visible .entry k(.param .u8 a, .param .align 8 .b8 b[12], .param .u16 c, .param .u64 d)
.reqntid 8, 4
.minnctapersm 2
{ .shared .align 4 .b8 x[6]; .shared .f64 y[2]; .reg .b64 %d<2>;
  mov.u64 %d0, room; ret; }`)
	if err != nil {
		t.Fatal(err)
	}
	k := m.Kernels["k"]
	params := []Param{{"a", 0, 1, 1}, {"b", 8, 12, 8}, {"c", 20, 2, 2}, {"d", 24, 8, 8}}
	if !slices.Equal(k.Params, params) || k.ParamBytes != 32 {
		t.Errorf("got %+v with parameters %+v", m, k.Params)
	}
	if k.Shared != 48 || k.MaxThreads != [3]uint32{8, 4, 1} {
		t.Errorf("shared %d, threads %v", k.Shared, k.MaxThreads)
	}
	data, half := m.Globals[0], m.Globals[1]
	if data.Align != 16 || !slices.Equal(data.Init, []byte{1, 2, 255, 0, 0}) || half.Size != 8 || half.Init[7] != 0x3f {
		t.Errorf("globals %+v", m.Globals)
	}
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.ptx")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if len(text) < 1<<14 {
			f.Add(string(text))
		}
	}
	f.Add(snippet(60, "setp.lt.s32 %p1, %r1, %r2; bfe.u32 %r9, %r1, 7, 11; mov.b32 {%h1, %h2}, %r1;"))
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse("fuzz", text)
		if err == nil && (m == nil) {
			t.Error("no module and no error")
		}
		if e := (*ParseError)(nil); err != nil && (!errors.As(err, &e) || e.Line < 1) {
			t.Errorf("got %v", err)
		}
	})
}

// TestShippedKernelsParse reads the kernels of the CUDA backend.
func TestShippedKernelsParse(t *testing.T) {
	if race.Enabled {
		t.Skip("takes long, and on one goroutine")
	}
	files, err := filepath.Glob("../backend/cuda/kernels/ptx/*.ptx.lzma")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	for _, file := range files {
		packed, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := lzma.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		texts, err := io.ReadAll(text)
		if err != nil {
			t.Fatal(file, err)
		}
		for module := range strings.SplitSeq(strings.TrimPrefix(string(texts), "// "), "\n// ") {
			if _, err := Parse(filepath.Base(file), "// "+module); err != nil {
				t.Error(err)
			}
		}
	}
}
