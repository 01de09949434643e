package cli

import "cresset/smi"

// detailFields returns the fields of --query-gpu that take a GPU's details.
func detailFields() []csvField {
	text := func(name string, value func(*smi.Details) string) csvField {
		return csvField{name: name, slow: true, value: func(r csvRow) string {
			if r.gpu.Details == nil {
				return ""
			}
			return value(r.gpu.Details)
		}}
	}
	measure := func(name, unit string, value func(*smi.Details) *int) csvField {
		f := text(name, func(d *smi.Details) string { return csvInt(value(d)) })
		f.unit = unit
		return f
	}
	watts := func(name string, value func(smi.PowerLimits) *float64) csvField {
		f := text(name, func(d *smi.Details) string { return csvWatts(value(d.Power)) })
		f.unit = "W"
		return f
	}
	return []csvField{
		text("vbios_version", func(d *smi.Details) string { return d.VBIOS }),
		measure("pcie.link.gen.current", "", func(d *smi.Details) *int { return d.Link.Generation }),
		measure("pcie.link.gen.max", "", func(d *smi.Details) *int { return d.Link.MaxGeneration }),
		measure("pcie.link.width.current", "", func(d *smi.Details) *int { return d.Link.Width }),
		measure("pcie.link.width.max", "", func(d *smi.Details) *int { return d.Link.MaxWidth }),
		measure("utilization.encoder", "%", func(d *smi.Details) *int { return d.Encoder }),
		measure("utilization.decoder", "%", func(d *smi.Details) *int { return d.Decoder }),
		watts("power.default_limit", func(p smi.PowerLimits) *float64 { return p.Default }),
		watts("power.min_limit", func(p smi.PowerLimits) *float64 { return p.Min }),
		watts("power.max_limit", func(p smi.PowerLimits) *float64 { return p.Max }),
		measure("clocks.current.graphics", "MHz", func(d *smi.Details) *int { return d.Clocks.Graphics }),
		measure("clocks.current.video", "MHz", func(d *smi.Details) *int { return d.Clocks.Video }),
		measure("clocks.max.graphics", "MHz", func(d *smi.Details) *int { return d.MaxClocks.Graphics }),
		measure("clocks.max.sm", "MHz", func(d *smi.Details) *int { return d.MaxClocks.SM }),
		measure("clocks.max.memory", "MHz", func(d *smi.Details) *int { return d.MaxClocks.Memory }),
		measure("clocks.applications.graphics", "MHz", func(d *smi.Details) *int { return d.Applications.Graphics }),
		measure("clocks.applications.memory", "MHz", func(d *smi.Details) *int { return d.Applications.Memory }),
		text("ecc.mode.pending", func(d *smi.Details) string { return csvState(d.ECCPending) }),
		text("mig.mode.pending", func(d *smi.Details) string { return csvState(d.MIGPending) }),
	}
}
