package agent

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"heldout/eval/model"
)

// sentDigits is how many hex digits of a digest records hold.
const sentDigits = 16

// sent makes digests of what a model is sent. A message is hashed once: each digest
// continues that of the messages before it, and most prompts continue the last one.
type sent struct {
	known []model.Message
	sums  [][sha256.Size]byte // of known, each with those before it
}

// digest returns the digest of messages: roles, texts and calls of tools, in their order. The
// ids of calls are left out: servers draw them.
func (s *sent) digest(messages []model.Message) string {
	same := 0
	for same < min(len(messages), len(s.known)) && messages[same] == s.known[same] {
		same++
	}
	s.sums = s.sums[:same]
	var sum [sha256.Size]byte
	if same > 0 {
		sum = s.sums[same-1]
	}
	for _, m := range messages[same:] {
		h := sha256.New()
		h.Write(sum[:])
		for _, text := range []string{string(m.Role), m.Content, m.Call.Name, m.Call.Arguments} {
			hashText(h, text)
		}
		h.Sum(sum[:0])
		s.sums = append(s.sums, sum)
	}
	s.known = messages
	return hex.EncodeToString(sum[:sentDigits/2])
}

// hashText hashes a text with its length, so that no text runs into the next.
func hashText(h hash.Hash, text string) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(text)))
	h.Write(length[:])
	h.Write([]byte(text))
}
