package sciworld

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"heldout/envs/sciworld/py4j"
)

// javaOptions are for every virtual machine: enough memory for long sessions, one
// thread for garbage collection because there are many machines, texts that do
// not depend on the locale, and no files outside its folder.
//
// Before 1.3.0 the simulator lists some sets in the order of their hash codes,
// which the virtual machine draws at random. With one hash code for all objects
// (2) the order is the order of insertion: the same on every machine, in every
// game.
func javaOptions(dir string) []string {
	return []string{
		"-Xmx512m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError",
		"-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2",
		"-Dfile.encoding=UTF-8", "-Duser.language=en", "-Duser.country=US",
		"-XX:-UsePerfData", "-Djava.io.tmpdir=" + dir,
	}
}

// launcher returns what starts simulators, each with a machine and folder of its own.
func launcher(j jar, folders *scratch) func(context.Context) (*simulator, error) {
	return func(ctx context.Context) (*simulator, error) {
		dir, err := folders.folder()
		if err != nil {
			return nil, err
		}
		s, err := launch(ctx, j, dir)
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
		return s, nil
	}
}

func launch(ctx context.Context, j jar, dir string) (*simulator, error) {
	server, err := py4j.StartServer(ctx, py4j.Command{Java: java, Options: javaOptions(dir), ClassPath: j.path,
		Dir: dir})
	if err != nil {
		return nil, fmt.Errorf("sciworld: %w", err)
	}
	s, err := connect(ctx, server.Port, py4j.DefaultTimeout)
	if err != nil {
		server.Kill()
		return nil, err
	}
	s.alive = server.Alive
	s.end = func() error {
		server.Kill()
		return errors.Join(s.conn.Close(), os.RemoveAll(dir))
	}
	return s, nil
}

// connect makes a simulator behind a port. The timeout is for each of its answers.
func connect(ctx context.Context, port int, timeout time.Duration) (*simulator, error) {
	conn, err := py4j.Dial(ctx, port, timeout)
	if err != nil {
		return nil, fmt.Errorf("sciworld: %w", err)
	}
	s, err := newSimulator(ctx, conn)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return s, nil
}
