// Package flags reads command lines into structs. A field is a flag, with these tags:
//
//	name         the flag's name; by default the field's, in lower case with hyphens
//	short        a letter that stands for it
//	help         what it does
//	default      its value where it is not given
//	enum         the values that it may have, separated by commas
//	placeholder  what the help shows for its value
//	hidden       keep it out of the help
//	negatable    of a bool: --no-name sets it to false
//	embed        the field's own fields are flags
//	arg          the field is not a flag but an argument: a string, or []string for all that there are
//	optional     the argument may be missing
//	passthrough  the first argument ends the flags
package flags

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// Command is what the first word of a command line can be.
type Command struct {
	Name string
	Help string // empty for a command that the help does not list
	Into any    // a pointer to the struct of its flags and arguments
}

// validator is a struct of flags that judges what was read into it.
type validator interface{ Validate() error }

// Error is a wrong command line.
type Error struct {
	Command string // whose flags they are; empty where there is no such command
	problem string
}

// Error returns what is wrong.
func (e *Error) Error() string { return e.problem }

// Parse reads args into the command that they begin with. It returns help where they ask for help, on that command or, with
// a nil command, on all.
func Parse(commands []Command, args []string) (c *Command, help bool, err error) {
	if len(args) == 0 || args[0] == "-h" || args[0] == "--help" {
		return nil, true, nil
	}
	names := make([]string, len(commands))
	for i := range commands {
		if names[i] = commands[i].Name; names[i] == args[0] {
			c = &commands[i]
		}
	}
	if c == nil {
		kind := "argument"
		if strings.HasPrefix(args[0], "-") {
			kind = "flag"
		}
		return nil, false, &Error{"", fmt.Sprintf("unexpected %s %s%s", kind, args[0], meant(args[0], names))}
	}
	p := &parser{}
	for _, f := range c.fields() {
		if text, ok := f.tag.Lookup("default"); ok {
			if err := f.set(text); err != nil {
				panic(err) // a mistake in the tags
			}
		}
		if f.arg {
			p.arguments = append(p.arguments, f)
		} else {
			p.flags = append(p.flags, f)
		}
	}
	err = p.parse(args[1:])
	if v, ok := c.Into.(validator); ok && err == nil && !p.help {
		err = v.Validate()
	}
	if err != nil {
		return nil, false, &Error{c.Name, err.Error()}
	}
	return c, p.help, nil
}

type parser struct {
	flags     []*field
	arguments []*field
	read      int // arguments, so far
	help      bool
}

func (p *parser) parse(args []string) error {
	for len(args) > 0 && !p.help {
		arg := args[0]
		args = args[1:]
		var err error
		switch {
		case arg == "--":
			for _, a := range args {
				if err := p.argument(a); err != nil {
					return err
				}
			}
			return p.complete()
		case strings.HasPrefix(arg, "--"):
			args, err = p.long(arg, args)
		case len(arg) > 1 && arg[0] == '-':
			args, err = p.short(arg, args)
		default:
			if err = p.argument(arg); err == nil && p.passes() {
				args = append([]string{"--"}, args...)
			}
		}
		if err != nil {
			return err
		}
	}
	if p.help {
		return nil
	}
	return p.complete()
}

// long reads --name=value, --name value, --name and --no-name.
func (p *parser) long(arg string, rest []string) ([]string, error) {
	name, value, given := strings.Cut(arg[2:], "=")
	if name == "help" {
		p.help = true
		return nil, nil
	}
	var names []string
	for _, f := range p.flags {
		switch {
		case f.name == name && f.isBool() && !given:
			return rest, f.set("true")
		case f.name == name && given:
			return rest, f.set(value)
		case f.name == name:
			return f.take(rest)
		case f.has("negatable") && "no-"+f.name == name && !given:
			return rest, f.set("false")
		case !f.has("hidden"):
			names = append(names, "--"+f.name)
		}
	}
	return nil, fmt.Errorf("unknown flag --%s%s", name, meant("--"+name, names))
}

// short reads -x value, -xvalue, and several flags without values as -xyz.
func (p *parser) short(arg string, rest []string) ([]string, error) {
	for i := 1; i < len(arg); i++ {
		letter, value := arg[i:i+1], arg[i+1:]
		if letter == "h" {
			p.help = true
			return nil, nil
		}
		f := p.named(letter)
		switch {
		case f == nil:
			return nil, fmt.Errorf("unknown flag -%s", arg[i:])
		case f.isBool():
			if err := f.set("true"); err != nil {
				return nil, err
			}
		case value != "":
			if err := f.set(value); err != nil {
				return nil, fmt.Errorf("unknown flag %s (as -%s %s: %w)", arg, letter, value, err)
			}
			return rest, nil
		default:
			return f.take(rest)
		}
	}
	return rest, nil
}

func (p *parser) named(letter string) *field {
	for _, f := range p.flags {
		if f.tag.Get("short") == letter {
			return f
		}
	}
	return nil
}

// argument reads what is no flag.
func (p *parser) argument(arg string) error {
	for i, f := range p.arguments {
		if f.value.Kind() == reflect.Slice || i == p.read {
			if arg == "" && !f.has("optional") && !f.has("passthrough") { // as an unset variable leaves it
				return fmt.Errorf("<%s> must not be empty", f.name)
			}
			p.read++
			return f.set(arg)
		}
	}
	return fmt.Errorf("unexpected argument %s", arg)
}

// passes reports whether the first argument has ended the flags.
func (p *parser) passes() bool {
	return slices.ContainsFunc(p.arguments, func(f *field) bool { return f.has("passthrough") })
}

// complete wants an argument where one has to be.
func (p *parser) complete() error {
	if p.read < len(p.arguments) && !p.arguments[p.read].has("optional") {
		return fmt.Errorf("expected <%s>", p.arguments[p.read].name)
	}
	return nil
}

func (c *Command) fields() []*field { return fieldsOf(reflect.ValueOf(c.Into).Elem()) }

// fieldsOf lists the flags and arguments of a struct.
func fieldsOf(value reflect.Value) (fields []*field) {
	for i := range value.NumField() {
		f := &field{value: value.Field(i), tag: value.Type().Field(i).Tag}
		switch {
		case f.has("embed"):
			fields = append(fields, fieldsOf(f.value)...)
		case f.has("help"):
			if f.name = f.tag.Get("name"); f.name == "" {
				f.name = hyphened(value.Type().Field(i).Name)
			}
			f.arg = f.has("arg")
			fields = append(fields, f)
		}
	}
	return fields
}

// hyphened writes a field's name as a flag's: MinFree is min-free.
func hyphened(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
