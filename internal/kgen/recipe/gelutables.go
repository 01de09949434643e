package recipe

import (
	"fmt"
	"math"
)

// geluRows are, for 16 intervals of t = |x| that cover 0 to geluEnd, a center c and the coefficients of t*M(t) in powers of
// t-c, where M(t) = Φ(-t) * e**(t*t/2). Each center is one for which the first coefficient, t*M(t) there, is nearly a float32; the
// others are fits to the least relative error, each rounded before the next was fitted.
var geluRows = [16][]float64{
	{0, 0, 0x1p-1, -0x1.9883d8p-2, 0x1.ffcd8ep-3, -0x1.0d144cp-3, 0x1.a89624p-5},
	{0x1.12p-2, 0x1.c02502p-4, 0x1.535f62p-2, -0x1.f62726p-3, 0x1.26a364p-3, -0x1.27993ep-4, 0x1.e48c26p-6},
	{0x1.0f9p-1, 0x1.747da4p-3, 0x1.d2814ap-3, -0x1.40d38cp-3, 0x1.611dc4p-4, -0x1.4ed2dap-5, 0x1.0a1758p-6},
	{0x1.9f08p-1, 0x1.e171bcp-3, 0x1.41e5fep-3, -0x1.9a3e86p-4, 0x1.a612d6p-5, -0x1.791958p-6, 0x1.320efp-7},
	{0x1.272p0, 0x1.1d9f68p-2, 0x1.a85302p-4, -0x1.edf7a6p-5, 0x1.d4ee8ap-6, -0x1.8790aep-7, 0x1.289912p-8},
	{0x1.9d84p0, 0x1.43e6e8p-2, 0x1.febffcp-5, -0x1.0867ccp-5, 0x1.c3ff22p-7, -0x1.57428cp-8, 0x1.d68742p-10},
	{0x1.0da8p1, 0x1.5cb46cp-2, 0x1.3c22eep-5, -0x1.22fc9ep-6, 0x1.bf32bep-8, -0x1.335902p-9, 0x1.7a34cp-11},
	{0x1.4e02p1, 0x1.6cbb4p-2, 0x1.984cacp-6, -0x1.4fb2b6p-7, 0x1.d138b8p-9, -0x1.222c6ap-10, 0x1.47b2dp-12},
	{0x1.a4c8p1, 0x1.7a24a6p-2, 0x1.e5c62cp-7, -0x1.5afaf2p-8, 0x1.a6286p-10, -0x1.d6714cp-12, 0x1.d74c4p-14},
	{0x1.0e53p2, 0x1.84ad96p-2, 0x1.0733a2p-7, -0x1.3bea14p-9, 0x1.4652e6p-11, -0x1.379748p-13, 0x1.0f97ap-15},
	{0x1.4f53p2, 0x1.8b05f6p-2, 0x1.2c7e16p-8, -0x1.3186f6p-10, 0x1.0d694ap-12, -0x1.b8b046p-15, 0x1.531e6p-17},
	{0x1.8f5ep2, 0x1.8ebed6p-2, 0x1.7675c2p-9, -0x1.49a06p-11, 0x1.fa11eep-14, -0x1.691c34p-16, 0x1.e81d7ap-19},
	{0x1.e57bp2, 0x1.91c24p-2, 0x1.b2d886p-10, -0x1.4319d8p-12, 0x1.a4efeep-15, -0x1.02ddep-17, 0x1.25cae6p-20},
	{0x1.2e6p3, 0x1.94165cp-2, 0x1.d109bcp-11, -0x1.1b348p-13, 0x1.2fb64p-16, -0x1.343fdcp-19, 0x1.2243b6p-22},
	{0x1.6f1ap3, 0x1.957b22p-2, 0x1.091e4p-11, -0x1.0d6842p-14, 0x1.e35504p-18, -0x1.995a94p-21, 0x1.499aaep-24},
	{0x1.ae668p3, 0x1.964b8ep-2, 0x1.4ce5cap-12, -0x1.22bd58p-15, 0x1.c11d3p-19, -0x1.46ceccp-22, 0x1.c26a2cp-26},
}

// geluSlopeRows are the same for M(t) - t/√2π and geluRows' centers.
var geluSlopeRows = [16][]float64{
	{0x1p-1, -0x1.988418p-1, 0x1.ffceccp-3, -0x1.0d201p-3, 0x1.a91c86p-5},
	{0x1.3564eap-2, -0x1.607fb4p-1, 0x1.536b76p-3, -0x1.4f0426p-4, 0x1.10ec76p-5},
	{0x1.0cf00ap-3, -0x1.3b64ep-1, 0x1.d28b78p-4, -0x1.ac99fap-5, 0x1.512ef2p-6},
	{-0x1.1174e4p-5, -0x1.2027d8p-1, 0x1.41e4dcp-4, -0x1.123d52p-5, 0x1.a9ad5cp-7},
	{-0x1.be634cp-3, -0x1.09b468p-1, 0x1.a84c48p-5, -0x1.4b9a72p-6, 0x1.dc7488p-8},
	{-0x1.cb5a88p-2, -0x1.ed216ap-2, 0x1.feba6p-6, -0x1.6335e6p-7, 0x1.c929e6p-9},
	{-0x1.5b8c3cp-1, -0x1.d45414p-2, 0x1.3c1d2ep-6, -0x1.866324p-8, 0x1.c4075p-10},
	{-0x1.cf1cc2p-1, -0x1.c44d54p-2, 0x1.98548ap-7, -0x1.c1dd68p-9, 0x1.cb9ba8p-11},
	{-0x1.32fa3ap0, -0x1.b6e3cp-2, 0x1.e5c4e8p-8, -0x1.d4196ap-10, 0x1.a8d57p-12},
	{-0x1.985eb2p0, -0x1.ac5aeap-2, 0x1.073e52p-8, -0x1.aa0facp-11, 0x1.4485e6p-13},
	{-0x1.02203p1, -0x1.a602a4p-2, 0x1.2c4084p-9, -0x1.9aa992p-12, 0x1.28d7dap-14},
	{-0x1.36a95p1, -0x1.a249cap-2, 0x1.76c1f2p-10, -0x1.ba8598p-13, 0x1.c197bap-16},
	{-0x1.7cbcaap1, -0x1.9f4654p-2, 0x1.b29516p-11, -0x1.b4e9dep-14, 0x1.bb33b4p-17},
	{-0x1.dd2cd8p1, -0x1.9cf24p-2, 0x1.d0de2ep-12, -0x1.7e8fdp-15, 0x1.3b2b78p-18},
	{-0x1.22b212p2, -0x1.9b8d8p-2, 0x1.09ec4ep-12, -0x1.6ae832p-16, 0x1.435968p-20},
	{-0x1.558598p2, -0x1.9abd18p-2, 0x1.4e54dap-13, -0x1.85b532p-17, 0x1.2f9c8ap-22},
}

// roots are the powers of two with exponents n/16.
var roots = column("powers", "2**(n/16).", [16]float64{
	1, 0x1.0b5586p0, 0x1.172b84p0, 0x1.2387a6p0, 0x1.306fep0, 0x1.3dea64p0, 0x1.4bfdaep0, 0x1.5ab07ep0,
	0x1.6a09e6p0, 0x1.7a1148p0, 0x1.8ace54p0, 0x1.9c4918p0, 0x1.ae89fap0, 0x1.c199bep0, 0x1.d5818ep0, 0x1.ea4afap0,
})

// tablesOf are the tables of the rows' columns. The upper intervals begin at 2.87.
func tablesOf(name, doc string, rows [16][]float64) []*Table {
	tables := make([]*Table, len(rows[0]))
	for k := range tables {
		var values [16]float64
		for n, row := range rows {
			values[n] = row[k]
		}
		tables[k] = column(fmt.Sprint(name, k), doc, values)
		tables[k].UpperSeldom = true
	}
	return tables
}

// column is a table of float32. It panics where one is not a float32.
func column(name, doc string, values [16]float64) *Table {
	t := &Table{Name: name, Doc: doc, Words: make([]uint32, len(values))}
	for n, v := range values {
		if float64(float32(v)) != v {
			panic(fmt.Sprintf("recipe: %v is not a float32", v))
		}
		t.Words[n] = math.Float32bits(float32(v))
	}
	return t
}
