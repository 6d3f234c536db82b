package queue

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"heldout/scoring/table"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// straysFile is the file in a run directory that has the strays: messages that nobody
// of the run sends. They are JSON lines.
const straysFile = "queue.set-aside"

// The headers of an order that a worker sets aside: its subject, and why.
const straySubject, strayError = "Heldout-Subject", "Heldout-Error"

// maxStray is how much of a stray is kept, in bytes, and maxStrays is how many are; the others are only counted.
const maxStray, maxStrays = 4 << 10, 1000

type stray struct {
	Subject string `json:"subject"`
	Error   string `json:"error"`
	Data    string `json:"data"` // the beginning
}

// setAside sends an order that nobody can carry out to the leader, and takes it out of the queue.
func (w *Worker) setAside(m jetstream.Msg, send func(*nats.Msg) error, cause error) error {
	aside := nats.NewMsg(subject(w.Job.Name, "strays"))
	aside.Header.Set(straySubject, m.Subject())
	aside.Header.Set(strayError, cause.Error())
	aside.Data = m.Data()[:min(len(m.Data()), maxStray)]
	if err := send(aside); err != nil {
		_ = m.Nak() // comes back by itself if that is lost
		return err
	}
	_ = m.Ack() // else it is set aside twice
	return nil
}

// takeStray keeps a message that nobody of the run sends. It comes again if that fails.
func (l *Leader) takeStray(m jetstream.Msg, reason string) {
	s := stray{Subject: cmp.Or(m.Headers().Get(straySubject), m.Subject()), Error: reason,
		Data: string(m.Data()[:min(len(m.Data()), maxStray)])}
	file := filepath.Join(l.o.Dir, straysFile)
	if l.strays < maxStrays {
		if err := s.write(file); err != nil {
			l.link.tell(fmt.Sprintf("a message in the queue that cannot be read cannot be set aside: %v", err))
			_ = m.NakWithDelay(l.delay)
			return
		}
	}
	if l.strays++; l.strays == 1 {
		l.link.tell(fmt.Sprintf("a message in the queue is not of this run: %.200s: %.200s; it is set aside in %s, "+
			"and the run continues", s.Subject, s.Error, file))
	}
	_ = m.Ack() // it comes again if that is lost
}

func (s *stray) write(file string) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return cmp.Or(err, f.Close())
}

func (l *Leader) countStrays() {
	if l.strays > 0 {
		l.link.tell(table.Counted(l.strays, "message in the queue was not of this run, and was",
			"messages in the queue were not of this run, and were") + " set aside in " +
			filepath.Join(l.o.Dir, straysFile))
	}
}
