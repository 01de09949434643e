package tokenizer_test

import (
	"fmt"
	"log"

	"cresset/text/tokenizer"
)

func Example() {
	t, err := tokenizer.Load("testdata/wordpiece")
	if err != nil {
		log.Fatal(err)
	}
	const text = "Speak, citizen!"
	e, err := t.Encode(text)
	if err != nil {
		log.Fatal(err)
	}
	for i, token := range e.Tokens {
		fmt.Printf("%d %s %q\n", e.IDs[i], token, text[e.Offsets[i].Start:e.Offsets[i].End])
	}
	fmt.Println(t.Decode(e.IDs))
	// Output:
	// 2 [CLS] ""
	// 435 speak "Speak"
	// 15 , ","
	// 486 citizen "citizen"
	// 5 ! "!"
	// 3 [SEP] ""
	// speak, citizen! <nil>
}
