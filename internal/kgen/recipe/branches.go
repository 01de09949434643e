package recipe

import (
	"bytes"
	"fmt"
	"slices"
)

// A use is an argument's place: the step that has it and its number there.
type use struct {
	by  Ref
	arg int
}

// users returns for every step where its result is used.
func (r *Recipe) users() [][]use {
	users := make([][]use, len(r.Steps))
	for k, s := range r.Steps {
		for n, a := range s.Args {
			users[a] = append(users[a], use{Ref(k), n})
		}
	}
	return users
}

// A branch is one or more selects with the same mask, and for each outcome the steps that only it needs.
type branch struct {
	selects []Ref
	arms    [2][]Ref
	inside  bool // not a branch but a step within an arm of one
}

// A planner knows a recipe and who uses its steps, and what those are called that have been written.
type planner struct {
	*Recipe
	users     [][]use
	out       *bytes.Buffer
	names     []string
	variables int
}

func newPlanner(out *bytes.Buffer, r *Recipe) planner {
	return planner{Recipe: r, users: r.users(), out: out, names: make([]string, len(r.Steps))}
}

// uses tells of several results, which are used behind all steps: none stands within a branch.
func (g *planner) uses(results []Ref) {
	for _, k := range results {
		g.users[k] = append(g.users[k], use{by: Ref(len(g.Steps))})
	}
}

// name makes a variable of a step.
func (g *planner) name(k Ref) {
	g.names[k] = fmt.Sprintf("t%d", g.variables)
	g.variables++
}

// plan finds the branches that a target with cheap jumps makes of the selects among steps, by the select that comes
// first or is alone. Selects that come later choose first, so that branches nest.
func (g *planner) plan(steps []Ref) map[Ref]branch {
	branches := map[Ref]branch{}
	for n := len(steps) - 1; n >= 0; n-- {
		k := steps[n]
		if branches[k].inside || !g.isSelect(k) {
			continue
		}
		first := n
		for first > 0 && !branches[steps[first-1]].inside && g.together(steps[first-1:n+1]) {
			first--
		}
		b := branch{selects: steps[first : n+1]}
		for arm := range b.arms {
			b.arms[arm] = g.armSteps(steps[:first], b.selects, arm+1, branches)
			for _, s := range b.arms[arm] {
				branches[s] = branch{inside: true}
			}
		}
		branches[steps[first]] = b
		n = first
	}
	return branches
}

func (g *planner) isSelect(k Ref) bool {
	return g.Steps[k].Op == Select || g.Steps[k].Op == ISelect
}

// together reports whether the first of the selects can join the others: the same mask, and no other needs its result.
func (g *planner) together(selects []Ref) bool {
	k := selects[0]
	if !g.isSelect(k) || g.Steps[k].Args[0] != g.Steps[selects[1]].Args[0] {
		return false
	}
	for _, u := range g.users[k] {
		if u.by <= selects[len(selects)-1] {
			return false
		}
	}
	return true
}

// armSteps returns the steps whose results only argument arm of the selects needs, directly or not.
func (g *planner) armSteps(steps, selects []Ref, arm int, taken map[Ref]branch) []Ref {
	in := map[Ref]bool{}
	only := func(u use) bool {
		if in[u.by] {
			return true
		}
		return u.arg == arm && slices.Contains(selects, u.by)
	}
	var reversed []Ref
	for n := len(steps) - 1; n >= 0; n-- {
		k := steps[n]
		needed := !taken[k].inside
		for _, u := range g.users[k] {
			needed = needed && only(u)
		}
		if needed {
			in[k] = true
			reversed = append(reversed, k)
		}
	}
	forward := make([]Ref, 0, len(reversed))
	for n := len(reversed) - 1; n >= 0; n-- {
		forward = append(forward, reversed[n])
	}
	return forward
}
