package optim

// betas returns Adam's betas among the settings of a group, nil where there are none.
func (g *Group) betas() *[2]float64 { at, _ := g.setting("betas").(*[2]float64); return at }

// momentum returns what cycles as momentum: the first beta or the momentum, nil where there is neither.
func (g *Group) momentum() *float64 {
	if b := g.betas(); b != nil {
		return &b[0]
	}
	at, _ := g.setting("momentum").(*float64)
	return at
}

// setting returns where a group keeps a setting, nil where its optimizer has none of the name.
func (g *Group) setting(name string) any {
	if g.form == nil {
		return nil
	}
	for _, s := range g.form.settings(&g.figures) {
		if s.name == name {
			return s.at
		}
	}
	return nil
}

// schedulesKeep names what schedules keep in the groups of an optimizer, and its state dict tells.
var schedulesKeep = []string{"max_lr", "min_lr", "max_momentum", "base_momentum"}

func (g *Group) keep(name string, v float64) {
	if g.scheduledBy == nil {
		g.scheduledBy = make(map[string]float64)
	}
	g.scheduledBy[name] = v
}

// kept returns what keep was given, or the initial learning rate.
func (g *Group) kept(name string) float64 {
	if name == "initial_lr" {
		return g.InitialLR()
	}
	return g.scheduledBy[name]
}
