package pickle

import (
	"errors"
	"fmt"
)

// tuple pushes values that were on the stack as one.
func (d *Decoder) tuple(values []any, err error) error {
	if err != nil {
		return err
	}
	t, err := d.cut(len(values))
	if err != nil {
		return err
	}
	copy(t, values)
	return d.push(t, boxBytes)
}

// tuplePiece is how many values are allocated at a time for short tuples, which a tensor takes four of.
const tuplePiece = 128

// cut returns a tuple of n values, all of it charged.
func (d *Decoder) cut(n int) (Tuple, error) {
	if n <= len(d.spare) {
		t := d.spare[:n:n]
		d.spare = d.spare[n:]
		return t, nil
	}
	size := n
	if n <= tuplePiece/8 {
		size = tuplePiece
	}
	if err := d.Charge(int64(size) * slotBytes); err != nil {
		return nil, err
	}
	t := make(Tuple, size)
	if size > n {
		d.spare = t[n:]
	}
	return t[:n:n], nil
}

// extend appends values to the list on top of the stack.
func (d *Decoder) extend(values []any, err error) error {
	if err != nil {
		return err
	}
	target, err := d.top()
	if err != nil {
		return err
	}
	list, ok := target.(*List)
	if !ok {
		return fmt.Errorf("a %s takes no elements", typeName(target))
	}
	if list.Items, err = d.room(list.Items, len(values)); err != nil {
		return err
	}
	list.Items = append(list.Items, values...)
	return nil
}

// update sets keys and values, in turns, in the dict on top of the stack.
func (d *Decoder) update(values []any, err error) error {
	if err != nil {
		return err
	}
	target, err := d.top()
	if err != nil {
		return err
	}
	dict, ok := target.(*Dict)
	switch {
	case !ok:
		return fmt.Errorf("a %s takes no items", typeName(target))
	case len(values)%2 != 0:
		return errors.New("a key without a value")
	}
	if err := d.reserve(dict, len(values)/2); err != nil {
		return err
	}
	for i := 0; i < len(values); i += 2 {
		if err := d.set(dict, values[i], values[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// set gives a key of a dict its value.
func (d *Decoder) set(dict *Dict, key, value any) error {
	h, err := hashable(key)
	if err != nil {
		return err
	}
	var hashed, made int
	switch h := h.(type) {
	case string:
		hashed = len(h)
	case compound:
		hashed, made = len(h), 3*len(h) // it grew to what it is
	}
	if err := d.work(hashed); err != nil {
		return err
	}
	if err := d.Charge(int64(made)); err != nil {
		return err
	}
	if err := d.reserve(dict, 1); err != nil {
		return err
	}
	dict.set(entry{key, value, h})
	return nil
}

// reserve makes room for n more entries of a dict.
func (d *Decoder) reserve(dict *Dict, n int) error {
	size := dict.nextSize(n)
	bytes := int64(size) * entryBytes
	if size > few {
		bytes += int64(size) * indexBytes
	}
	if err := d.Charge(bytes); err != nil || size == 0 {
		return err
	}
	dict.grow(size)
	return nil
}

func (d *Decoder) addItems() error {
	values, err := d.popMark()
	if err != nil {
		return err
	}
	target, err := d.top()
	if err != nil {
		return err
	}
	set, ok := target.(*Set)
	if !ok {
		return fmt.Errorf("a %s takes no elements of a set", typeName(target))
	}
	return d.add(set, values)
}

func (d *Decoder) add(set *Set, values []any) error {
	for _, v := range values {
		if err := d.set(&set.dict, v, nil); err != nil {
			return err
		}
	}
	return nil
}
