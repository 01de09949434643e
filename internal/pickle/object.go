package pickle

import (
	"errors"
	"fmt"
)

// builtin is a global of Python itself that a pickle may call, which builds a plain value.
type builtin func(*Decoder, Tuple) (any, error)

// builtins have the names of Python 2, which protocol 2 writes, and those of Python 3.
var builtins = map[string]builtin{
	"collections.OrderedDict": (*Decoder).orderedDict,
	"collections.Counter":     (*Decoder).counter,
	"__builtin__.set":         (*Decoder).newSet,
	"builtins.set":            (*Decoder).newSet,
	"__builtin__.complex":     (*Decoder).complex,
	"builtins.complex":        (*Decoder).complex,
	"__builtin__.bytearray":   (*Decoder).byteArray,
	"builtins.bytearray":      (*Decoder).byteArray,
	"__builtin__.bytes":       (*Decoder).newBytes,
	"_codecs.encode":          (*Decoder).encodeLatin1,
}

func (d *Decoder) global() error {
	module, err := d.line()
	if err != nil {
		return err
	}
	name, err := d.line()
	if err != nil {
		return err
	}
	return d.pushGlobal(module + "." + name)
}

func (d *Decoder) stackGlobal() error {
	names, err := d.pop(2)
	if err != nil {
		return err
	}
	module, ok := names[0].(string)
	name, also := names[1].(string)
	switch {
	case !ok || !also:
		return fmt.Errorf("a global is named by two strings, not by %s and %s", typeName(names[0]), typeName(names[1]))
	case len(module)+len(name) > maxLine:
		return &LimitError{"bytes in a name", maxLine}
	}
	return d.pushGlobal(module + "." + name)
}

// pushGlobal pushes what stands for a global, and refuses one that nothing stands for.
func (d *Decoder) pushGlobal(name string) error {
	bytes := int64(len(name)) + boxBytes
	if v, ok := d.config.Globals[name]; ok {
		return d.push(v, bytes)
	}
	if f, ok := builtins[name]; ok {
		return d.push(f, bytes)
	}
	return &GlobalError{name}
}

// reduce calls a global with a tuple of arguments.
func (d *Decoder) reduce() error {
	values, err := d.pop(2)
	if err != nil {
		return err
	}
	args, ok := values[1].(Tuple)
	if !ok {
		return fmt.Errorf("arguments are a tuple, not a %s", typeName(values[1]))
	}
	var result any
	switch f := values[0].(type) {
	case Func:
		result, err = f(args)
	case builtin:
		result, err = f(d, args)
	default:
		err = fmt.Errorf("a %s is not called", typeName(f))
	}
	if err != nil {
		return err
	}
	return d.push(result, boxBytes)
}

// persistent pushes what a persistent id stands for.
func (d *Decoder) persistent() error {
	values, err := d.pop(1)
	if err != nil {
		return err
	}
	if d.config.Persistent == nil {
		return errors.New("persistent ids are not allowed")
	}
	v, err := d.config.Persistent(values[0])
	if err != nil {
		return err
	}
	return d.push(v, boxBytes)
}

// build gives an OrderedDict its attributes; no other object has some.
func (d *Decoder) build() error {
	values, err := d.pop(1)
	if err != nil {
		return err
	}
	target, err := d.top()
	if err != nil {
		return err
	}
	dict, ok := target.(*Dict)
	attrs, also := values[0].(*Dict)
	if !ok || !dict.Ordered || !also {
		return fmt.Errorf("a %s takes no state of type %s", typeName(target), typeName(values[0]))
	}
	dict.Attrs = attrs
	return nil
}

// orderedDict is called without arguments, or by Python 2 with a list of pairs.
func (d *Decoder) orderedDict(args Tuple) (any, error) {
	if err := d.Charge(dictBytes); err != nil {
		return nil, err
	}
	dict := &Dict{Ordered: true}
	if len(args) == 0 {
		return dict, nil
	}
	list, ok := args[0].(*List)
	if !ok || len(args) != 1 {
		return nil, errors.New("collections.OrderedDict takes nothing or a list of pairs")
	}
	for _, item := range list.Items {
		pair, ok := item.(Tuple)
		if l, is := item.(*List); is {
			pair, ok = l.Items, true
		}
		if !ok || len(pair) != 2 {
			return nil, fmt.Errorf("collections.OrderedDict takes pairs, not a %s", typeName(item))
		}
		if err := d.set(dict, pair[0], pair[1]); err != nil {
			return nil, err
		}
	}
	return dict, nil
}

// counter is called without arguments or with a dict of counts, as which it is read: PyTorch's MultiStepLR keeps its milestones so.
func (d *Decoder) counter(args Tuple) (any, error) {
	if len(args) == 0 {
		return &Dict{counter: true}, d.Charge(dictBytes)
	}
	dict, ok := args[0].(*Dict)
	if !ok || len(args) != 1 {
		return nil, errors.New("collections.Counter takes nothing or a dict")
	}
	dict.counter = !dict.Ordered
	return dict, nil
}

func (d *Decoder) newSet(args Tuple) (any, error) {
	if err := d.Charge(dictBytes); err != nil {
		return nil, err
	}
	set := new(Set)
	if len(args) == 0 {
		return set, nil
	}
	list, ok := args[0].(*List)
	if !ok || len(args) != 1 {
		return nil, errors.New("set takes nothing or a list")
	}
	return set, d.add(set, list.Items)
}

func (d *Decoder) complex(args Tuple) (any, error) {
	if len(args) == 2 {
		re, ok := args[0].(float64)
		im, also := args[1].(float64)
		if ok && also {
			return complex(re, im), nil
		}
	}
	return nil, errors.New("complex takes two floats")
}

// byteArray takes what newBytes takes.
func (d *Decoder) byteArray(args Tuple) (any, error) {
	b, err := d.newBytes(args)
	if err != nil {
		return nil, err
	}
	return ByteArray(b.([]byte)), nil
}

// newBytes makes bytes, which protocol 2 calls for without arguments where there are none.
func (d *Decoder) newBytes(args Tuple) (any, error) {
	switch len(args) {
	case 0:
		return []byte{}, nil
	case 1:
		if b, ok := args[0].([]byte); ok {
			return b, nil
		}
	}
	return d.encodeLatin1(args)
}

// encodeLatin1 returns the bytes that Python 3 writes as a string of characters below 256 where the protocol has no bytes.
func (d *Decoder) encodeLatin1(args Tuple) (any, error) {
	if len(args) != 2 {
		return nil, errors.New("_codecs.encode takes a string and \"latin1\"")
	}
	text, ok := args[0].(string)
	if encoding, is := args[1].(string); !ok || !is || encoding != "latin1" && encoding != "latin-1" {
		return nil, errors.New("_codecs.encode takes a string and \"latin1\"")
	}
	if err := d.Charge(int64(len(text))); err != nil {
		return nil, err
	}
	bytes := make([]byte, 0, len(text))
	for _, c := range text {
		if c > 0xff {
			return nil, fmt.Errorf("character %q is not in latin1", c)
		}
		bytes = append(bytes, byte(c))
	}
	return bytes, d.work(len(text))
}
