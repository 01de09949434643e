package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"cresset/internal/pickle"
)

// torchFile reads the pickle of one of PyTorch's files: storages that persistent ids name, tensors in them, plain values.
type torchFile struct {
	*source
	place    string // of the pickle, in errors
	members  int    // of the zip file, as many as there are storages at most
	contents *contents
	decoder  *pickle.Decoder
	storages map[string]*torchStorage
	order    []*torchStorage // as contents.stores
	within   bool            // rebuildFromType
	backed   int64           // bytes of the file that the storages take at least
}

// torchStorage is memory in a file.
type torchStorage struct {
	key    string
	number int // in contents.stores
	kind   *torchType
	numel  int64
}

// torchView is a storage, or in files of before PyTorch 0.4 a part of one, as a persistent id names it.
type torchView struct {
	*torchStorage
	kind  *torchType
	first int64 // element
}

// pickleMemory returns how many bytes of memory a pickle may take before it names storages: with what the members of a zip file took,
// less than 16 MiB and the file's size.
func (s *source) pickleMemory(members int) int64 {
	if s.limits.Values > 0 {
		return s.limits.Values
	}
	return max(15<<20+s.size-memberCost*int64(members), 1<<20)
}

// Bytes of memory.
const (
	memberCost  = 160 // of a zip file's directory
	entryBytes  = 112 // an Entry
	storeBytes  = 64  // a store
	storageCost = 192 // a torchStorage, with its places in a map and a slice

	storageRoom = 2 << 10 // what a storage's tensor takes in all: a Parameter in a dict of long names
)

// Bytes that a storage takes in a file beside its elements, at least.
const (
	zipStorage    = leastMember
	legacyStorage = 8 // its length
)

// maxTorchAxes is how many axes PyTorch's tensors have.
const maxTorchAxes = 64

// newTorchFile returns a reader of pickles from in. So many members of the file may be storages.
func newTorchFile(s *source, format Format, place string, in io.Reader, members int) *torchFile {
	t := &torchFile{source: s, place: place, contents: &contents{format: format}, storages: map[string]*torchStorage{}, members: members}
	globals := torchGlobals()
	for name, f := range map[string]func(pickle.Tuple) (any, error){
		"torch._utils._rebuild_tensor":               t.rebuildTensor,
		"torch._utils._rebuild_tensor_v2":            t.rebuildTensorV2,
		"torch._utils._rebuild_tensor_v3":            t.rebuildTensorV3,
		"torch._utils._rebuild_parameter":            t.rebuildParameter,
		"torch._utils._rebuild_parameter_with_state": t.rebuildParameter,
		"torch._tensor._rebuild_from_type_v2":        t.rebuildFromType,
	} {
		globals[name] = pickle.Func(f)
	}
	t.decoder = pickle.NewDecoder(in, pickle.Config{
		Globals:    globals,
		Persistent: t.persistent,
		Limits:     pickle.Limits{Memory: s.pickleMemory(members), Steps: s.limits.Ops, Depth: s.limits.Depth},
	})
	return t
}

// decode reads the next pickle.
func (t *torchFile) decode() (any, error) {
	v, err := t.decoder.Decode()
	if broken := new(fs.PathError); errors.As(err, &broken) {
		return nil, broken
	}
	if damaged := new(FormatError); errors.As(err, &damaged) {
		return nil, damaged
	}
	if err != nil {
		return nil, &FormatError{File: t.path, Place: t.place, Expected: "a pickle of tensors and plain values", Err: err}
	}
	return v, nil
}

// persistent returns the torchView of ("storage", class, key, device, number of elements) or, in the legacy form,
// ("storage", class, key, device, number of elements, None or (key, first element, number of elements)).
func (t *torchFile) persistent(id any) (any, error) {
	args, _ := id.(pickle.Tuple)
	if len(args) != 5 && len(args) != 6 || args[0] != "storage" {
		return nil, errors.New("expected the persistent id of a storage")
	}
	class, ok := args[1].(torchStorageType)
	key, named := args[2].(string)
	numel, counted := args[4].(int64)
	if !ok || !named || !counted || numel < 0 || numel > maxElements/int64(class.of.bytes) {
		return nil, errors.New("expected a storage's class, key, device and number of elements")
	}
	view := torchView{kind: class.of}
	if len(args) == 6 && args[5] != nil {
		if t.contents.format != PyTorchLegacy {
			return nil, errors.New("expected no view of a storage")
		}
		of, _ := args[5].(pickle.Tuple)
		if len(of) != 3 {
			return nil, errors.New("expected a view's key, first element and number of elements")
		}
		first, ok := of[1].(int64)
		n, counted := of[2].(int64)
		if !ok || !counted || first < 0 || n < 0 || n > numel || first > numel-n {
			return nil, errors.New("expected a view inside its storage")
		}
		view.first = first
	}
	var err error
	view.torchStorage, err = t.storage(key, class.of, numel)
	return view, err
}

// storage returns the storage of a key. Tensors of several dtypes may lie in one.
func (t *torchFile) storage(key string, kind *torchType, numel int64) (*torchStorage, error) {
	bytes := numel * int64(kind.bytes)
	if s := t.storages[key]; s != nil {
		if has := s.numel * int64(s.kind.bytes); has != bytes {
			return nil, fmt.Errorf("storage %q has %d bytes here and had %d before", key, bytes, has)
		}
		return s, nil
	}
	t.makeRoom(bytes)
	if err := t.decoder.Charge(storageCost); err != nil {
		return nil, err
	}
	if len(t.order) == t.limits.Tensors {
		return nil, &pickle.LimitError{What: "storages", Limit: int64(t.limits.Tensors)}
	}
	var err error
	if t.contents.stores, err = room(t, t.contents.stores, storeBytes); err != nil {
		return nil, err
	}
	s := &torchStorage{key: key, number: len(t.order), kind: kind, numel: numel}
	t.storages[key] = s
	t.order = append(t.order, s)
	t.contents.stores = append(t.contents.stores, store{bytes: bytes})
	return s, nil
}

// makeRoom lets the pickle take more memory for a storage of so many bytes, unless the caller has set a limit. A claim makes no room:
// the storages so far must fit into the file, each with an element.
func (t *torchFile) makeRoom(bytes int64) {
	least := int64(zipStorage)
	if t.contents.format == PyTorchLegacy {
		least = legacyStorage
	}
	if left := t.size - t.backed; t.limits.Values > 0 || bytes == 0 || left < least || bytes > left-least {
		return
	}
	t.backed += least + bytes
	t.decoder.Allow(storageRoom)
}

// room returns a slice with room for another element of so many bytes: at first for as many as there are members.
func room[T any](t *torchFile, all []T, bytes int) ([]T, error) {
	if len(all) < cap(all) {
		return all, nil
	}
	size := max(2*cap(all), min(t.members, t.limits.Tensors), 8)
	if err := t.decoder.Charge(int64(size * bytes)); err != nil {
		return all, err
	}
	return append(make([]T, 0, size), all...), nil
}
