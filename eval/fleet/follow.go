package fleet

import (
	"slices"

	"heldout/eval/model"
)

// follow looks at the list of servers until the fleet is closed.
func (f *Fleet) follow() {
	last := ""
	for {
		model.Pause(f.ctx, f.o.ListPace)
		if f.ctx.Err() != nil {
			return
		}
		if err := f.reread(); err != nil && err.Error() != last {
			last = err.Error()
			f.tell("the servers stay as they are: %v", err)
		} else if err == nil {
			last = ""
		}
	}
}

// reread takes over the list of servers. A new server is in use once it has
// answered; a server that has left the list gets no further calls.
func (f *Fleet) reread() error {
	addresses, err := f.o.List()
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var added []*server
	for _, address := range addresses {
		if slices.ContainsFunc(f.servers, func(s *server) bool { return s.address == address }) {
			continue
		}
		client, err := f.o.Open(address)
		if err == nil && (f.find(client.URL()) != nil ||
			slices.ContainsFunc(added, func(s *server) bool { return s.client.URL() == client.URL() })) {
			client.Close()
			continue // another spelling of an address
		}
		if err != nil {
			for _, s := range added {
				s.client.Close()
			}
			return err
		}
		added = append(added, &server{address: address, client: client,
			aside: &aside{cause: isNew, fresh: true, since: f.o.Now()}})
	}
	f.servers = slices.DeleteFunc(f.servers, func(s *server) bool {
		if s.removed = !slices.Contains(addresses, s.address); s.removed {
			f.tell("%s has left the list of servers", s.client.URL())
		}
		return s.removed
	})
	for _, s := range added {
		f.servers = append(f.servers, s)
		f.recallLater(s, 0)
	}
	if len(f.present()) == 0 {
		f.hold("none of those on the list is in use yet", f.o.Now(), false)
	}
	return nil
}
