package envs

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Digest returns the SHA-256, in hex, of texts, each prefixed with its length.
// It makes Task.Digest and Info.DataHash.
func Digest(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		h.Write([]byte(strconv.Itoa(len(t)) + ":" + t))
	}
	return hex.EncodeToString(h.Sum(nil))
}
