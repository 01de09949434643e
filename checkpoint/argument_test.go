package checkpoint_test

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/device"
	"cresset/dtype"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// attempt is a call that may be wrong, and what its error says; "" where there is none.
type attempt struct {
	name string
	call func() error
	want string
}

// check wants errors and no panics.
func check(t *testing.T, attempts []attempt) {
	t.Helper()
	for _, a := range attempts {
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%s: panic: %v", a.name, r)
				}
			}()
			err := a.call()
			if a.want == "" && err != nil || a.want != "" && (err == nil || !strings.Contains(err.Error(), a.want)) {
				t.Errorf("%s: got %v, want %q", a.name, err, a.want)
			}
		}()
	}
}

// saved writes a model, and returns it with the path.
func saved(t *testing.T, file string) (model *nn.Sequential, path string) {
	t.Helper()
	model, path = newNet(), filepath.Join(t.TempDir(), file)
	if err := checkpoint.Save(path, model); err != nil {
		t.Fatal(err)
	}
	return model, path
}

// TestWhatIsNoModelIsRefused names its type, and writes no file.
func TestWhatIsNoModelIsRefused(t *testing.T) {
	model, path := saved(t, "x.pt")
	opt := optim.NewSGD(nn.Parameters(model))
	number := 3
	for _, c := range []struct {
		model any
		want  string
	}{
		{nil, "must be a pointer to a struct, not nil"},
		{3, "not of type int"}, {&number, "not of type *int"}, {"model", "not of type string"}, {(*nn.Linear)(nil), "not a nil *nn.Linear"},
		{func() {}, "not of type func()"}, {opt, "the state of a *optim.Algorithm is what its StateDict returns"}, {map[string]*tensor.Tensor(nil), "not a nil map[string]*tensor.Tensor"},
	} {
		other := filepath.Join(t.TempDir(), "other.pt")
		var typed *tensor.Error
		if err := checkpoint.Save(other, c.model); !errors.As(err, &typed) || !strings.HasPrefix(err.Error(), "save "+other+": ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Save of %T: got %v, want %s", c.model, err, c.want)
		}
		if _, err := os.Stat(other); !os.IsNotExist(err) {
			t.Errorf("Save of %T: there is a file: %v", c.model, err)
		}
		if err := checkpoint.Load(path, c.model); !errors.As(err, &typed) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Load into %T: got %v, want %s", c.model, err, c.want)
		}
	}
	if err := checkpoint.Save(filepath.Join(t.TempDir(), "relu.pt"), nn.NewReLU()); err != nil {
		t.Errorf("a model without parameters: %v", err)
	}
}

// TestNilValuesAreRefused names where they stand.
func TestNilValuesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.pt")
	value := func(v any) func() error { return func() error { return checkpoint.WriteValue(path, v) } }
	at := func(v any) any { return map[string]any{"at": []any{v}} }
	check(t, []attempt{
		{"nil", value(nil), ""},
		{"a nil map", value(map[string]any(nil)), ""},
		{"a nil slice", value([]any(nil)), ""},
		{"a nil tuple", value(checkpoint.Tuple(nil)), ""},
		{"a zero Dict", value(new(checkpoint.Dict)), ""},
		{"a zero Set", value(new(checkpoint.Set)), ""},
		{"a nil Dict", value((*checkpoint.Dict)(nil)), "the value is a nil *pickle.Dict"},
		{"a nil Dict inside", value(at((*checkpoint.Dict)(nil))), "at[0] is a nil *pickle.Dict"},
		{"a nil Set", value(at((*checkpoint.Set)(nil))), "at[0] is a nil *pickle.Set"},
		{"a nil big.Int", value(at((*big.Int)(nil))), "at[0] is a nil *big.Int"},
		{"a nil tensor", value(at((*tensor.Tensor)(nil))), "at[0] is a nil *tensor.Tensor"},
		{"a nil pointer", value(at((*int)(nil))), "at[0] is a nil *int"},
		{"a function", value(at(func() {})), "at[0]: a value of type func() cannot be written"},
		{"no dtype", value(at(dtype.Undefined)), "at[0]: a value of type dtype.DType cannot be written"},
		{"a dtype that is none", value(at(dtype.DType(99))), "at[0]: a value of type dtype.DType cannot be written"},
		{"a nil tensor by name", func() error { return checkpoint.Write(path, map[string]*tensor.Tensor{"w": nil}) }, `the tensor "w" is nil`},
		{"no tensors", func() error { return checkpoint.Write(path, nil) }, ""},
		{"no path", func() error { return checkpoint.Write("", nil) }, "the name ends in none of .safetensors"},
		{"no path for a value", func() error { return checkpoint.WriteValue("", nil) }, "only PyTorch's formats hold values"},
		{"a format that is none", func() error { return checkpoint.Write(path, nil, checkpoint.Format("x")) }, `there is no format "x"`},
		{"shards below zero", func() error { return checkpoint.Write(path, nil, checkpoint.ShardSize(-1)) }, "a shard of -1 bytes"},
		{"no array", func() error { return checkpoint.Write(path+".npy", nil) }, "holds one tensor, not 0"},
	})
	var typed *tensor.Error
	if err := checkpoint.WriteValue(path, at((*checkpoint.Dict)(nil))); !errors.As(err, &typed) || !errors.Is(err, tensor.ErrValue) {
		t.Errorf("got %T", err)
	}
}

// TestNilOptionsAreNone passes every function an option that was never set.
func TestNilOptionsAreNone(t *testing.T) {
	model, path := saved(t, "x.pt")
	other := filepath.Join(t.TempDir(), "y.npz")
	check(t, []attempt{
		{"Open", func() error { _, err := checkpoint.Open(path, nil); return err }, ""},
		{"Load", func() error { return checkpoint.Load(path, model, nil, checkpoint.Rename(nil)) }, ""},
		{"Save", func() error {
			return checkpoint.Save(other, model, nil, checkpoint.Progress(nil), checkpoint.Metadata(nil))
		}, ""},
		{"Convert", func() error { return checkpoint.Convert(path, other, nil) }, ""},
		{"Limits", func() error {
			return checkpoint.Load(path, model, checkpoint.Limits{Header: -1, Tensors: -1, Ratio: -1, Values: -1, Ops: -1, Depth: -1, Bytes: -1})
		}, ""},
		{"Convert of no path", func() error { return checkpoint.Convert("", other) }, "no such file"},
		{"Convert to no path", func() error { return checkpoint.Convert(path, "") }, "the name ends in none of"},
		{"Load of no path", func() error { return checkpoint.Load("", model) }, "no such file"},
		{"As no dtype", func() error { return checkpoint.Load(path, model, checkpoint.As(dtype.Undefined)) }, "only accepts floating"},
		{"As a dtype that is none", func() error { return checkpoint.Load(path, model, checkpoint.As(dtype.DType(99))) }, "dtype"},
		{"As integers", func() error { return checkpoint.Load(path, model, checkpoint.As(dtype.Int64)) }, "int64"},
		{"to a dtype that is none", func() error { return checkpoint.Save(other, model, checkpoint.As(dtype.DType(99))) }, "cannot become"},
	})
}

// TestClosedFiles may be closed again, and tell what they hold, but not read it.
func TestClosedFiles(t *testing.T) {
	for _, name := range []string{"x.safetensors", "x.pt", "x.npz"} {
		_, path := saved(t, name)
		f, err := checkpoint.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Close(), f.Close()); err != nil {
			t.Errorf("Close: %v", err)
		}
		entries := f.Entries()
		_, one := f.Tensor(entries[0].Name)
		_, meta := f.Tensor(entries[0].Name, checkpoint.On(device.Meta))
		_, all := f.Tensors()
		_, value := f.Value()
		for i, err := range []error{one, meta, all, value} {
			if want := "read " + path + ": file already closed"; !errors.Is(err, os.ErrClosed) || err.Error() != want {
				t.Errorf("%s, call %d: got %v, want %s", name, i, err, want)
			}
		}
	}
}

// TestFilesThatOpenDidNotReturn hold nothing.
func TestFilesThatOpenDidNotReturn(t *testing.T) {
	for _, f := range []*checkpoint.File{nil, new(checkpoint.File)} {
		check(t, []attempt{
			{"Close", f.Close, ""},
			{"listing", func() error {
				return errors.Join(errorOf(len(f.Entries())), errorOf(len(f.Metadata())), errorOf(len(f.Format())))
			}, ""},
			{"Tensor", func() error { _, err := f.Tensor("x"); return err }, "a File that Open did not return"},
			{"Tensors", func() error { _, err := f.Tensors(); return err }, "a File that Open did not return"},
			{"Value", func() error { _, err := f.Value(); return err }, "a File that Open did not return"},
		})
	}
}

func errorOf(n int) error {
	if n != 0 {
		return fmt.Errorf("%d of what should be none", n)
	}
	return nil
}

// TestReadingAsWhatIsNoFloat refuses the dtype, and does not round.
func TestReadingAsWhatIsNoFloat(t *testing.T) {
	_, path := saved(t, "x.safetensors")
	f, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, dt := range []dtype.DType{dtype.Int64, dtype.Bool, dtype.DType(99)} {
		check(t, []attempt{
			{"Tensor", func() error { _, err := f.Tensor("0.weight", checkpoint.As(dt)); return err }, "floating tensors cannot become"},
			{"Tensors", func() error { _, err := f.Tensors(checkpoint.As(dt)); return err }, "floating tensors cannot become"},
		})
	}
}

// TestSnapshotsOfNothing refuse parts that are nil, by name.
func TestSnapshotsOfNothing(t *testing.T) {
	d := checkpoint.NewSnapshots(t.TempDir(), nil, checkpoint.Keep(-1))
	defer d.Close()
	save := func(part any) func() error {
		return func() error {
			return errors.Join(d.Save(checkpoint.Snapshot{"part": part}, nil), d.SaveAsync(checkpoint.Snapshot{"part": part}))
		}
	}
	check(t, []attempt{
		{"nothing", func() error { return d.Save(nil) }, ""},
		{"nil", save(nil), `"part": nil has no state`},
		{"a nil tensor", save((*tensor.Tensor)(nil)), `"part": a nil *tensor.Tensor`},
		{"a nil generator", save((*tensor.Generator)(nil)), `"part": a nil *tensor.Generator`},
		{"a nil optimizer", save((*optim.Algorithm)(nil)), `"part": a nil *optim.Algorithm`},
		{"a nil model", save((*nn.Linear)(nil)), `"part": a nil *nn.Linear`},
		{"a number", save(3), `"part": a int could not be restored`},
		{"restoring nil", func() error { _, err := d.Resume(checkpoint.Snapshot{"part": nil}); return err }, "Missing"},
		{"a folder without a name", func() error { return checkpoint.NewSnapshots("").Save(nil) }, "no such file"},
		{"reading one", func() error { _, err := checkpoint.NewSnapshots("").Resume(nil); return err }, ""},
		{"Best of none", func() error { _, err := checkpoint.NewSnapshots("").Best(); return err }, ""},
		{"zero Snapshots", func() error { d := new(checkpoint.Snapshots); return errors.Join(d.Wait(), d.Close()) }, ""},
	})
}
