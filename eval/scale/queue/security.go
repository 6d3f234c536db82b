package queue

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/eval/model"
)

// Security is how the processes of a run and the server know each other.
type Security struct {
	// Creds is a file of NATS credentials; CA, Cert and Key are PEM files for TLS. Empty names stand for none.
	Creds, CA, Cert, Key string
	Login                model.Secret // a user name and a password with a colon between them, or a token
}

// Check reports what does not belong together.
func (s Security) Check() error {
	var faults configs.Faults
	faults.Note((s.Cert == "") != (s.Key == ""), "--queue-cert and --queue-key belong together: give both")
	faults.Note(s.Creds != "" && s.Login != (model.Secret{}),
		"--queue-creds and --queue-login-env are two ways to log in: give one")
	return faults.Err()
}

// checkCreds reports a file of credentials that no server takes. Errors tell nothing of its content.
func (s Security) checkCreds() error {
	fail := func(reason string) error { return fmt.Errorf("--queue-creds %s: %s", s.Creds, reason) }
	content, err := datafile.Read(s.Creds, datafile.MaxConfig)
	if err != nil {
		return fmt.Errorf("--queue-creds: %w", err)
	}
	token, err := jwt.ParseDecoratedJWT(content)
	if err != nil {
		return fail("it has no user token (JWT); NATS writes such files with nsc generate creds")
	}
	claims, err := jwt.DecodeUserClaims(token)
	if err != nil {
		return fail("its user token (JWT) cannot be read; NATS writes such files with nsc generate creds")
	}
	key, err := nkeys.ParseDecoratedUserNKey(content)
	if err != nil {
		return fail("it has no user key (seed) after the token; NATS writes such files with nsc generate creds")
	}
	key.Wipe()
	found := jwt.CreateValidationResults()
	claims.Validate(found)
	if found.IsBlocking(true) {
		return fail("they have expired, or are not valid yet")
	}
	return nil
}

// refused says what to do when a server lets nobody in with these credentials.
func (s Security) refused() error {
	switch {
	case s.Creds != "":
		if err := s.checkCreds(); err != nil { // they may have expired by now
			return err
		}
		return fmt.Errorf(
			"the server refuses the credentials of --queue-creds %s: are they of another server, or revoked?", s.Creds)
	case s.Login != (model.Secret{}):
		return errors.New("the server refuses the login of --queue-login-env")
	}
	return errors.New("the server wants credentials; give them with --queue-creds or --queue-login-env, or " +
		"--queue-cert and --queue-key")
}

// clientOptions returns the options of a connection. One to a server in the same process needs no TLS.
func (s Security) clientOptions(inProcess bool) (opts []nats.Option, err error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	user, password, token := s.login()
	switch {
	case token != "":
		opts = append(opts, nats.Token(token))
	case user != "":
		opts = append(opts, nats.UserInfo(user, password))
	}
	if inProcess {
		return opts, nil
	}
	if s.Creds != "" {
		if err := s.checkCreds(); err != nil {
			return nil, err
		}
		opts = append(opts, nats.UserCredentials(s.Creds))
	}
	if s.CA == "" && s.Cert == "" {
		return opts, nil
	}
	secure := &tls.Config{MinVersion: tls.VersionTLS12}
	if secure.RootCAs, err = s.authority(); err != nil {
		return nil, err
	}
	if secure.Certificates, err = s.certificates(); err != nil {
		return nil, err
	}
	return append(opts, nats.Secure(secure)), nil
}

// login takes Login apart: either the first two or the last are empty.
func (s Security) login() (user, password, token string) {
	text := s.Login.Reveal()
	user, password, found := strings.Cut(text, ":")
	if !found {
		return "", "", text
	}
	return user, password, ""
}

// secure sets up an embedded server: Cert and Key are the server's own, CA is the authority of the certificates
// that it wants of workers, and Login is what they must know.
func (s Security) secure(o *server.Options) error {
	if err := s.Check(); err != nil {
		return err
	}
	if s.CA != "" && s.Cert == "" {
		return errors.New("--queue embedded wants certificates of workers (--queue-ca) and has none itself: give " +
			"--queue-cert and --queue-key")
	}
	o.Username, o.Password, o.Authorization = s.login()
	if s.Cert == "" {
		return nil
	}
	certificates, err := s.certificates()
	if err != nil {
		return err
	}
	o.TLS, o.TLSConfig, o.TLSTimeout = true, &tls.Config{Certificates: certificates, MinVersion: tls.VersionTLS12},
		patience.Seconds()
	if s.CA == "" {
		return nil
	}
	o.TLSVerify, o.TLSConfig.ClientAuth = true, tls.RequireAndVerifyClientCert
	o.TLSConfig.ClientCAs, err = s.authority()
	return err
}

// certificates reads Cert and Key, if they are given.
func (s Security) certificates() ([]tls.Certificate, error) {
	if s.Cert == "" {
		return nil, nil
	}
	cert, err := datafile.Read(s.Cert, datafile.MaxConfig)
	if err != nil {
		return nil, fmt.Errorf("--queue-cert: %w", err)
	}
	key, err := datafile.Read(s.Key, datafile.MaxConfig)
	if err != nil {
		return nil, fmt.Errorf("--queue-key: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("--queue-cert %s, --queue-key %s: %w", s.Cert, s.Key, err)
	}
	return []tls.Certificate{pair}, nil
}

// authority reads CA; nil stands for the system's authorities.
func (s Security) authority() (*x509.CertPool, error) {
	if s.CA == "" {
		return nil, nil
	}
	pem, err := datafile.Read(s.CA, datafile.MaxConfig)
	if err != nil {
		return nil, fmt.Errorf("--queue-ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("--queue-ca: %s has no certificate in PEM form", s.CA)
	}
	return pool, nil
}
