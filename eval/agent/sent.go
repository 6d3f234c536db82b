package agent

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"heldout/eval/model"
)

// sentDigits is how many hex digits of a digest records hold.
const sentDigits = 16

// digest returns the digest of messages: roles, texts and calls of tools, in their order. The
// ids of calls are left out: servers draw them.
func digest(messages []model.Message) string {
	var sum [sha256.Size]byte
	for _, m := range messages {
		sum = digestOf(sum, string(m.Role), m.Content, m.Call.Name, m.Call.Arguments)
	}
	return hex.EncodeToString(sum[:sentDigits/2])
}

// digestOf is a digest that continues another one with texts. Each has its length before
// it, so that no text runs into the next.
func digestOf(prev [sha256.Size]byte, texts ...string) [sha256.Size]byte {
	buf := append(make([]byte, 0, 512), prev[:]...) // most messages fit
	for _, text := range texts {
		buf = binary.BigEndian.AppendUint64(buf, uint64(len(text)))
		buf = append(buf, text...)
	}
	return sha256.Sum256(buf)
}
