// Package dltest watches the functions of a foreign library for tests: it counts their calls and has them fail.
package dltest

import (
	"path"
	"reflect"
	"sync"

	"cresset/internal/dl"
)

// Spy stands between a table's functions and their callers.
type Spy struct {
	mu       sync.Mutex // guards the fields below
	calls    map[string]int
	failures []*failure
}

// failure is a call that is to fail.
type failure struct {
	pattern string
	skip    int
	forever bool
	result  reflect.Value
}

// Watch replaces the functions of a table. Each has the preferred of its C symbols as its name.
func Watch(t dl.Table) *Spy {
	s := &Spy{calls: map[string]int{}}
	_ = t.Each(func(symbols []string, _ bool, field reflect.Value) error {
		if field.IsNil() {
			return nil
		}
		call := reflect.ValueOf(field.Interface())
		field.Set(reflect.MakeFunc(field.Type(), func(args []reflect.Value) []reflect.Value {
			f := s.called(symbols[0])
			if f == nil {
				return call.Call(args)
			}
			results := make([]reflect.Value, field.Type().NumOut())
			for i := range results {
				results[i] = reflect.Zero(field.Type().Out(i))
			}
			results[len(results)-1] = f.result
			return results
		}))
		return nil
	})
	return s
}

// called counts a call and returns the failure that it is to be.
func (s *Spy) called(symbol string) *failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[symbol]++
	for i, f := range s.failures {
		if match, _ := path.Match(f.pattern, symbol); !match {
			continue
		}
		if f.forever {
			return f
		}
		if f.skip == 0 {
			s.failures = append(s.failures[:i:i], s.failures[i+1:]...)
			return f
		}
		f.skip--
	}
	return nil
}

// Calls returns how often a function has been called.
func (s *Spy) Calls(symbol string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[symbol]
}

// Fail has one call return result as its last value and do nothing: that after skip others of the functions whose symbols
// match the pattern, in which * stands for any letters.
func (s *Spy) Fail(pattern string, skip int, result any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, &failure{pattern, skip, false, reflect.ValueOf(result)})
}

// Break has all calls of the functions whose symbols match the pattern fail from now on.
func (s *Spy) Break(pattern string, result any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, &failure{pattern, 0, true, reflect.ValueOf(result)})
}
