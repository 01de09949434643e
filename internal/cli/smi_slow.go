package cli

import "cresset/smi"

// detailFields returns the fields of --query-gpu that take a GPU's details.
func detailFields() []csvField {
	limit := func(value func(smi.PowerLimits) *float64) func(smi.GPU) string {
		return detail(func(d *smi.Details) string { return csvWatts(value(d.Power)) })
	}
	return []csvField{
		slowField("vbios_version", "", detail(func(d *smi.Details) string { return d.VBIOS })),
		slowField("pcie.link.gen.current", "", figure("", func(d *smi.Details) *int { return d.Link.Generation })),
		slowField("pcie.link.gen.max", "", figure("", func(d *smi.Details) *int { return d.Link.MaxGeneration })),
		slowField("pcie.link.width.current", "", figure("", func(d *smi.Details) *int { return d.Link.Width })),
		slowField("pcie.link.width.max", "", figure("", func(d *smi.Details) *int { return d.Link.MaxWidth })),
		slowField("utilization.encoder", "%", figure("", func(d *smi.Details) *int { return d.Encoder })),
		slowField("utilization.decoder", "%", figure("", func(d *smi.Details) *int { return d.Decoder })),
		slowField("power.default_limit", "W", limit(func(p smi.PowerLimits) *float64 { return p.Default })),
		slowField("power.min_limit", "W", limit(func(p smi.PowerLimits) *float64 { return p.Min })),
		slowField("power.max_limit", "W", limit(func(p smi.PowerLimits) *float64 { return p.Max })),
		slowField("clocks.current.graphics", "MHz", figure("", func(d *smi.Details) *int { return d.Clocks.Graphics })),
		slowField("clocks.current.video", "MHz", figure("", func(d *smi.Details) *int { return d.Clocks.Video })),
		slowField("clocks.max.graphics", "MHz", figure("", func(d *smi.Details) *int { return d.MaxClocks.Graphics })),
		slowField("clocks.max.sm", "MHz", figure("", func(d *smi.Details) *int { return d.MaxClocks.SM })),
		slowField("clocks.max.memory", "MHz", figure("", func(d *smi.Details) *int { return d.MaxClocks.Memory })),
		slowField("clocks.applications.graphics", "MHz", figure("", func(d *smi.Details) *int { return d.Applications.Graphics })),
		slowField("clocks.applications.memory", "MHz", figure("", func(d *smi.Details) *int { return d.Applications.Memory })),
		slowField("ecc.mode.pending", "", detail(func(d *smi.Details) string { return enabled(d.ECCPending) })),
		slowField("mig.mode.pending", "", detail(func(d *smi.Details) string { return enabled(d.MIGPending) })),
	}
}
