package record

import "heldout/configs"

// Decoding says how replies are sampled.
type Decoding = configs.Decoding
