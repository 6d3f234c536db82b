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
// ids of calls are left out: servers draw them. Each message's sum continues the one before. Texts
// have their lengths before them, so that no text runs into the next.
func digest(messages []model.Message) string {
	var sum [sha256.Size]byte
	var buf []byte
	for _, m := range messages {
		buf = append(buf[:0], sum[:]...)
		for _, text := range []string{string(m.Role), m.Content, m.Call.Name, m.Call.Arguments} {
			buf = binary.BigEndian.AppendUint64(buf, uint64(len(text)))
			buf = append(buf, text...)
		}
		sum = sha256.Sum256(buf)
	}
	return hex.EncodeToString(sum[:sentDigits/2])
}
