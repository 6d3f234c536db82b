package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"heldout/eval"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// batch is the largest number of messages that are asked for at a time.
const batch = 128

// room is how much a leader holds in memory of the records that are not on disk yet, and of those that nobody waits
// for yet, in bytes each. More of them stay in the queue for a while.
const room = 256 << 20

// delay is after how long a record comes again that was left in the queue.
const delay = 5 * time.Second

// The names of the consumers of records and of orders.
const leader, workers = "leader", "workers"

// Leader has the episodes of a run played by workers. It is an eval.Elsewhere.
type Leader struct {
	link    *connection
	ackWait time.Duration // how long an order may be without a sign of life
	job     Job
	// persist is how replies are stored. An embedded server would flush the disk for each; so
	// its own kill, not the workers', may take the replies of the last milliseconds.
	persist jetstream.PersistModeType
	o       LeaderOptions
	stop    context.CancelCauseFunc
	done    chan struct{} // closed when nothing is received any more

	mu      sync.Mutex
	waiting map[string]*waiter // the orders whose records Play waits for, by episode
	// arrived are the records that Play does not wait for yet, or that are not on disk yet, by episode and attempt.
	arrived map[string]*delivery
	coming  map[string][]*delivery // the records that lack parts, by episode and attempt
	parked  map[string]bool        // the attempts whose records were left in the queue
	// idle and busy are the sizes of the records that are held, in bytes: those that
	// nobody waits for, and the others. Each has so much room.
	idle, busy, room int
	delay            time.Duration
	final            map[string]bool // the attempts that need no other record, by episode and attempt
	strays           int             // the number of messages that were set aside
}

// LeaderOptions say what a leader does beside playing.
type LeaderOptions struct {
	Dir      string          // the run directory, where messages are set aside that cannot be read
	Finished map[string]bool // the ids of the episodes that have a result
	// Servers receives what the model servers of a worker report, by player.
	Servers func(map[string]record.ServerReport) error
}

type waiter struct {
	order eval.Order
	came  chan *delivery // takes one
}

// Lead opens the streams of a job and begins to take records. Close ends it.
func Lead(ctx context.Context, o Options, job Job, lo LeaderOptions) (*Leader, error) {
	link, err := connect(ctx, o)
	if err != nil {
		return nil, err
	}
	l := &Leader{
		link: link, ackWait: cmp.Or(o.AckWait, AckWait), job: job, o: lo, done: make(chan struct{}),
		waiting: map[string]*waiter{}, arrived: map[string]*delivery{}, coming: map[string][]*delivery{},
		parked: map[string]bool{}, room: cmp.Or(o.room, room), delay: cmp.Or(o.delay, delay), final: map[string]bool{},
	}
	if o.Embedded != nil {
		l.persist = jetstream.AsyncPersistMode
	}
	bound, cancel := link.bind(ctx)
	defer cancel(nil)
	if err := errors.Join(l.catchUp(bound), l.hear()); err != nil {
		err = link.named(err)
		link.close()
		return nil, err
	}
	receiving, stop := link.bind(context.Background())
	l.stop = stop
	go l.receive(receiving)
	if o.Embedded != nil {
		go watch(receiving, o.Embedded, link)
	}
	return l, nil
}

// watch gives an embedded server up that stores no more, until ctx is done.
func watch(ctx context.Context, s *server.Server, l *connection) {
	for model.Pause(ctx, l.pause) == nil {
		if !s.JetStreamEnabled() {
			l.stop(errors.New("the embedded server stores no more: is the disk of the run directory full? free " +
				"space on it"))
			return
		}
	}
}

// open makes the streams and the consumers, where there are none yet. It returns the consumer of records.
func (l *Leader) open(ctx context.Context) (jetstream.Consumer, error) {
	about, err := l.job.encode()
	if err != nil {
		return nil, err
	}
	name := l.job.Name
	results := jetstream.StreamConfig{
		Name: resultsStream(name), Subjects: []string{subject(name, "results.>"), subject(name, "servers"),
			subject(name, "strays")},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew,
	}
	work := jetstream.StreamConfig{
		Name: workStream(name), Subjects: []string{subject(name, "work.>")}, Metadata: about,
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew,
	}
	replies := jetstream.StreamConfig{
		Name: repliesStream(name), Subjects: []string{subject(name, "replies.>")}, Storage: jetstream.FileStorage,
		Discard: jetstream.DiscardNew, PersistMode: l.persist,
	}
	for _, c := range []jetstream.StreamConfig{results, work, replies} {
		if err := l.makeStream(ctx, c); err != nil {
			return nil, err
		}
	}
	_, err = l.link.js.CreateOrUpdateConsumer(ctx, work.Name, jetstream.ConsumerConfig{
		Durable: workers, AckPolicy: jetstream.AckExplicitPolicy, AckWait: l.ackWait, MaxAckPending: -1,
		MaxWaiting: 1 << 16,
	})
	if err != nil {
		return nil, err
	}
	return l.link.js.CreateOrUpdateConsumer(ctx, results.Name, jetstream.ConsumerConfig{
		Durable: leader, AckPolicy: jetstream.AckExplicitPolicy, AckWait: min(l.ackWait, AckWait),
		MaxAckPending: -1,
	})
}

// maxBytesRequired is the code of the error that the account requires streams to have
// a limit in bytes, and streamBytes the limit that they then have: three fit in 2 GiB.
const maxBytesRequired, streamBytes = 10113, 640 << 20

// notCreated is the code of a stream that the server cannot create. It can be so for a
// moment: the first two connections of an account get in each other's way.
const notCreated, creations = 10049, 3

// makeStream makes a stream, or changes it to what it should be. A full stream
// refuses messages, which come again: it drops none.
func (l *Leader) makeStream(ctx context.Context, c jetstream.StreamConfig) (err error) {
	for range creations {
		_, err = l.link.js.CreateOrUpdateStream(ctx, c)
		var api *jetstream.APIError
		switch {
		case !errors.As(err, &api):
			return err
		case api.ErrorCode == maxBytesRequired && c.MaxBytes == 0:
			c.MaxBytes = streamBytes
		case api.ErrorCode != notCreated || model.Pause(ctx, l.link.pause) != nil:
			return err
		}
	}
	return err
}

// Bind returns a context that also ends when the queue is given up. Its cause says why.
func (l *Leader) Bind(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	return l.link.bind(ctx)
}

// catchUp takes the records that came before. An episode that has been played is then not ordered again.
func (l *Leader) catchUp(ctx context.Context) error {
	// A new consumer also gets what an earlier leader took and did not keep.
	err := l.link.js.DeleteConsumer(ctx, resultsStream(l.job.Name), leader)
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	consumer, err := l.open(ctx)
	if err != nil {
		return err
	}
	for {
		messages, err := consumer.FetchNoWait(batch)
		if err != nil {
			return err
		}
		n := 0
		for m := range messages.Messages() {
			if about, err := m.Metadata(); err == nil && about.NumDelivered == 1 {
				n++ // what is left in the queue comes again and again
			}
			l.take(m)
		}
		if n == 0 {
			return messages.Error()
		}
	}
}

// hear passes on why workers end.
func (l *Leader) hear() error {
	_, err := l.link.conn.Subscribe(subject(l.job.Name, "notes"), func(m *nats.Msg) { l.link.tell(string(m.Data)) })
	return err
}

// receive takes records until ctx is done.
func (l *Leader) receive(ctx context.Context) {
	defer close(l.done)
	var consumer jetstream.Consumer
	idle, failures := 0, 0
	for ctx.Err() == nil {
		n, err := l.fetch(ctx, &consumer)
		l.link.answers(err, &failures)
		switch {
		case err != nil:
			consumer = nil
			_ = model.Pause(ctx, l.link.pause)
		case n > 0:
			idle = 0
		default:
			if idle++; idle > 1 {
				l.restore(ctx)
			}
		}
	}
}

// fetch takes the records that come within a moment, and counts them. Without a consumer,
// at the start and after an error, it makes streams that were lost anew.
func (l *Leader) fetch(ctx context.Context, consumer *jetstream.Consumer) (n int, err error) {
	once, cancel := context.WithTimeout(ctx, l.link.patience)
	defer cancel()
	if *consumer == nil {
		*consumer, err = l.open(once)
	} else {
		_, err = l.link.js.Stream(once, workStream(l.job.Name))
	}
	if err != nil {
		return 0, err
	}
	messages, err := (*consumer).Fetch(batch, jetstream.FetchMaxWait(l.link.fetch))
	if err != nil {
		return 0, err
	}
	for {
		select {
		case <-ctx.Done():
			return n, ctx.Err()
		case m, ok := <-messages.Messages():
			if !ok {
				return n, messages.Error()
			}
			n++
			l.take(m)
		}
	}
}

// take files a message from a worker.
func (l *Leader) take(m jetstream.Msg) {
	switch m.Subject() {
	case subject(l.job.Name, "servers"):
		l.takeServers(m)
		return
	case subject(l.job.Name, "strays"):
		l.takeStray(m, m.Headers().Get(strayError))
		return
	}
	key := strings.TrimPrefix(m.Subject(), subject(l.job.Name, "results."))
	id, number, _ := strings.Cut(key, ".")
	attempt, err := strconv.Atoi(number)
	if err != nil {
		l.takeStray(m, fmt.Sprintf("no attempt at an episode: %.100q", key))
		return
	}
	about, err := m.Metadata()
	if err != nil {
		_ = m.Term() // of no stream
		return
	}
	n, count, recordID, err := place(m, about.Sequence.Stream)
	if err != nil {
		l.takeStray(m, err.Error())
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	w, arrived := l.waiting[id], l.arrived[key]
	switch {
	case arrived != nil && arrived.recordID == recordID:
		arrived.put(n, &recordPart{m, about.Sequence.Stream}) // delivered again, since it is not on disk yet
	case arrived != nil, l.o.Finished[id], l.final[key], w != nil && attempt < w.order.Attempt:
		_ = m.Ack() // it comes again if that is lost
	default:
		d := l.gather(key, recordID, count)
		d.put(n, &recordPart{m, about.Sequence.Stream})
		switch {
		case d.size() > maxRecord: // no worker sends that; restore orders it again
			l.drop(d)
		case d.complete():
			l.arrive(id, d, w != nil && attempt == w.order.Attempt)
		}
	}
}

// gather returns what has come of a record.
func (l *Leader) gather(key, recordID string, count int) *delivery {
	for _, d := range l.coming[key] {
		if d.recordID == recordID && d.count == count {
			return d
		}
	}
	d := &delivery{key: key, recordID: recordID, parts: map[int]*recordPart{}, count: count}
	l.coming[key] = append(l.coming[key], d)
	return d
}

func (l *Leader) forget(d *delivery) {
	l.coming[d.key] = slices.DeleteFunc(l.coming[d.key], func(o *delivery) bool { return o == d })
}

func (l *Leader) drop(d *delivery) {
	l.forget(d)
	d.ack()
}

// arrive passes a whole record on, or holds it until it is awaited. If there is no
// room, it stays in the queue for a while.
func (l *Leader) arrive(id string, d *delivery, awaited bool) {
	l.forget(d)
	used := &l.idle
	if awaited {
		used = &l.busy
	}
	if size := d.size(); *used > 0 && *used+size > l.room {
		l.parked[d.key] = true
		d.giveBack(l.delay)
		return
	}
	*used += d.size()
	l.arrived[d.key] = d
	for _, answer := range l.coming[d.key] {
		answer.ack()
	}
	delete(l.coming, d.key)
	delete(l.parked, d.key)
	if awaited {
		w := l.waiting[id]
		delete(l.waiting, id)
		w.came <- d
	}
}

// takeServers notes what a worker's model servers report.
func (l *Leader) takeServers(m jetstream.Msg) {
	var servers map[string]record.ServerReport
	if err := json.Unmarshal(m.Data(), &servers); err == nil {
		if err := l.o.Servers(servers); err != nil {
			l.link.tell(fmt.Sprintf("what a worker's servers report cannot be noted: %v", err))
		}
	}
	_ = m.Ack()
}

// restore orders again what is awaited if the server has lost it.
func (l *Leader) restore(ctx context.Context) {
	once, cancel := context.WithTimeout(ctx, l.link.patience)
	defer cancel()
	for _, name := range []string{workStream(l.job.Name), resultsStream(l.job.Name)} {
		s, err := l.link.js.Stream(once, name)
		if err != nil || s.CachedInfo().State.Msgs > 0 {
			return
		}
	}
	l.mu.Lock()
	lost := maps.Clone(l.waiting)
	l.mu.Unlock()
	for id, w := range lost {
		if err := l.order(ctx, id, w.order); err != nil {
			return // the next round tries again, with new streams if these are lost
		}
	}
}

// order publishes an order, unless it is in the stream already.
func (l *Leader) order(ctx context.Context, id string, order eval.Order) error {
	data, err := json.Marshal(order)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("work.%s.%d", id, order.Attempt)
	err = l.link.publish(ctx, workStream(l.job.Name), &nats.Msg{Subject: subject(l.job.Name, name), Data: data},
		jetstream.WithExpectLastSequencePerSubject(0))
	var api *jetstream.APIError
	if errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
		return nil
	}
	return err
}

// Play implements eval.Elsewhere. Its context is one that Bind has made.
func (l *Leader) Play(ctx context.Context, id string, order eval.Order) (*record.Episode, func(), error) {
	key := fmt.Sprintf("%s.%d", id, order.Attempt)
	w := &waiter{order: order, came: make(chan *delivery, 1)}
	d, parked := l.await(id, key, w)
	if d == nil {
		for !parked {
			err := l.order(ctx, id, order)
			if err == nil {
				break
			}
			if !errors.Is(err, jetstream.ErrStreamNotFound) || model.Pause(ctx, l.link.pause) != nil {
				return nil, func() {}, err
			} // receive makes the stream anew
		}
		select {
		case d = <-w.came:
		case <-ctx.Done():
			return nil, func() {}, context.Cause(ctx)
		}
	}
	ack := func() { l.acknowledge(d) }
	data, failure := l.content(d)
	if failure != "" {
		return nil, ack, errors.New(failure)
	}
	rec, err := unpack(data)
	return rec, ack, err
}

// content is the record of a delivery, or why there is none. Its parts may come again meanwhile.
func (l *Leader) content(d *delivery) (data []byte, failure string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return d.data(), d.parts[0].msg.Headers().Get(errorHeader)
}

// await returns the record of an attempt if it has come, and waits for it otherwise.
// parked reports that it is in the queue.
func (l *Leader) await(id, key string, w *waiter) (d *delivery, parked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d = l.arrived[key]; d == nil {
		l.waiting[id] = w
		return nil, l.parked[key]
	}
	l.idle -= d.size()
	l.busy += d.size()
	return d, false
}

// acknowledge acknowledges a record that is on disk.
func (l *Leader) acknowledge(d *delivery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.arrived, d.key)
	l.final[d.key] = true
	l.busy -= d.size()
	d.ack()
}

// Close ends the work of the leader. If the run is complete, the streams are deleted and the workers end.
func (l *Leader) Close(complete bool) error {
	l.stop(nil)
	<-l.done
	defer l.link.close()
	l.countStrays()
	if !complete {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var errs []error
	for _, name := range []string{workStream(l.job.Name), resultsStream(l.job.Name), repliesStream(l.job.Name)} {
		if err := l.link.js.DeleteStream(ctx, name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			errs = append(errs, fmt.Errorf("queue %s: deleting the stream %s: %w", l.link.name, name, err))
		}
	}
	errs = append(errs, l.link.conn.Publish(subject(l.job.Name, "end"), nil))
	return errors.Join(errs...)
}
