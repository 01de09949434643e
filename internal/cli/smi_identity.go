package cli

import (
	"fmt"
	"slices"

	"cresset/smi"
)

// logName has what the log tells of a GPU before its MIG devices, and logIdentity what it tells before its state.
var logName = slices.Concat(
	line(1, "Product Name", func(g smi.GPU) string { return told(g.Name) }),
	line(1, "Product Brand", detail(func(d *smi.Details) string { return told(d.Brand) })),
	since(510, line(1, "Product Architecture", detail(func(d *smi.Details) string { return told(d.Architecture) }))),
	unknown(1, "Display Mode"),
	since(580, unknown(1, "Display Attached")),
	line(1, "Display Active", func(g smi.GPU) string { return enabled(g.Display) }),
	line(1, "Persistence Mode", func(g smi.GPU) string { return enabled(g.Persistence) }),
	since(535, unknown(1, "Addressing Mode")),
	since(450, heading(1, "MIG Mode"),
		line(2, "Current", func(g smi.GPU) string { return enabled(g.MIG) }),
		line(2, "Pending", detail(func(d *smi.Details) string { return enabled(d.MIGPending) }))),
)

var logIdentity = slices.Concat(
	unknown(1, "Accounting Mode", "Accounting Mode Buffer Size"),
	heading(1, "Driver Model"), unknown(2, "Current", "Pending"),
	line(1, "Serial Number", func(g smi.GPU) string { return told(g.Serial) }),
	line(1, "GPU UUID", func(g smi.GPU) string { return told(g.UUID) }),
	since(580, unknown(1, "GPU PDI")),
	line(1, "Minor Number", figure("", func(d *smi.Details) *int { return d.Minor })),
	line(1, "VBIOS Version", detail(func(d *smi.Details) string { return told(d.VBIOS) })),
	unknown(1, "MultiGPU Board", "Board ID"),
	since(525, unknown(1, "Board Part Number")),
	unknown(1, "GPU Part Number"),
	since(535, unknown(1, "FRU Part Number")),
	since(470, before(570, unknown(1, "Module ID"))),
	since(570, heading(1, "Platform Info"),
		unknown(2, "Chassis Serial Number", "Slot Number", "Tray Index", "Host ID", "Peer Type", "Module Id", "GPU Fabric GUID")),
	heading(1, "Inforom Version"), unknown(2, "Image Version", "OEM Object", "ECC Object", "Power Management Object"),
	since(535, heading(1, "Inforom BBX Object Flush"), unknown(2, "Latest Timestamp", "Latest Duration")),
	heading(1, "GPU Operation Mode"), unknown(2, "Current", "Pending"),
	since(550, unknown(1, "GPU C2C Mode")),
	since(470, before(550, unknown(1, "GSP Firmware Version"))),
	heading(1, "GPU Virtualization Mode"),
	before(450, unknown(2, "Virtualization mode")),
	since(450, unknown(2, "Virtualization Mode", "Host VGPU Mode")),
	since(550, unknown(2, "vGPU Heterogeneous Mode")),
	since(535, before(580, heading(1, "GPU Reset Status"), unknown(2, "Reset Required", "Drain and Reset Recommended"))),
	since(570, unknown(1, "GPU Recovery Action")),
	since(550, unknown(1, "GSP Firmware Version")),
	heading(1, "IBMNPU"), unknown(2, "Relaxed Ordering Mode"),
	logPCI,
	line(1, "Fan Speed", func(g smi.GPU) string { return number(g.Fan, " %") }),
)

var logPCI = slices.Concat(
	heading(1, "PCI"),
	line(2, "Bus", busPart(1)), line(2, "Device", busPart(2)), line(2, "Domain", busPart(0)),
	since(550, unknown(2, "Base Classcode", "Sub Classcode")),
	line(2, "Device Id", detail(func(d *smi.Details) string { return hexOf(d.DeviceID) })),
	line(2, "Bus Id", func(g smi.GPU) string { return told(g.BusID) }),
	line(2, "Sub System Id", detail(func(d *smi.Details) string { return hexOf(d.Subsystem) })),
	heading(2, "GPU Link Info"),
	heading(3, "PCIe Generation"),
	line(4, "Max", figure("", func(d *smi.Details) *int { return d.Link.MaxGeneration })),
	line(4, "Current", figure("", func(d *smi.Details) *int { return d.Link.Generation })),
	since(525, unknown(4, "Device Current", "Device Max", "Host Max")),
	heading(3, "Link Width"),
	line(4, "Max", figure("x", func(d *smi.Details) *int { return d.Link.MaxWidth })),
	line(4, "Current", figure("x", func(d *smi.Details) *int { return d.Link.Width })),
	heading(2, "Bridge Chip"), unknown(3, "Type", "Firmware"),
	unknown(2, "Replays Since Reset", "Replay Number Rollovers"),
	line(2, "Tx Throughput", figure(" KB/s", func(d *smi.Details) *int { return d.Link.Sent })),
	line(2, "Rx Throughput", figure(" KB/s", func(d *smi.Details) *int { return d.Link.Received })),
	since(525, before(570, unknown(2, "Atomic Caps Inbound", "Atomic Caps Outbound"))),
	since(570, unknown(2, "Atomic Caps Outbound", "Atomic Caps Inbound")),
)

// busPart is domain, bus or device of a GPU's place on the bus.
func busPart(which int) func(smi.GPU) string {
	return func(g smi.GPU) string {
		var parts [3]uint32
		if n, _ := fmt.Sscanf(g.BusID, "%x:%x:%x", &parts[0], &parts[1], &parts[2]); n < len(parts) {
			return notAvailable
		}
		return fmt.Sprintf("0x%0*X", []int{4, 2, 2}[which], parts[which])
	}
}
