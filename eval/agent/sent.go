package agent

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"heldout/eval/model"
)

// sentDigits is how many hex digits of a digest records hold.
const sentDigits = 16

// sent makes digests of what a model is sent. A message is hashed once: each digest
// continues that of the messages before it, and most prompts continue the last one.
type sent struct {
	messages []model.Message
	sums     [][sha256.Size]byte // of messages, each with those before it
}

// digest returns the digest of messages: roles, texts and calls of tools, in their order. The
// ids of calls are left out: servers draw them.
func (s *sent) digest(messages []model.Message) string {
	same := 0
	for same < min(len(messages), len(s.messages)) && messages[same] == s.messages[same] {
		same++
	}
	s.sums = s.sums[:same]
	var sum [sha256.Size]byte
	if same > 0 {
		sum = s.sums[same-1]
	}
	for _, m := range messages[same:] {
		sum = digestOf(sum, string(m.Role), m.Content, m.Call.Name, m.Call.Arguments)
		s.sums = append(s.sums, sum)
	}
	s.messages = messages
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
