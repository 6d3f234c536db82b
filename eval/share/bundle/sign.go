package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"heldout/envs/datafile"
)

// SignatureExtension follows the name of a bundle in the name of its signature.
const SignatureExtension = ".sig"

// namespace is what signatures are for, so that a signature of anything else signs no bundle.
const namespace = "heldout"

// maxKeys is the largest file of keys and signatures, in bytes.
const maxKeys = 1 << 20

// ErrUnsigned says that a bundle has no signature beside it.
var ErrUnsigned = errors.New("the bundle has no signature")

// sign signs a file with a private key, as ssh-keygen -Y sign does. It returns the
// signature and the fingerprint of the key.
func sign(file, key string) (armored []byte, signer string, err error) {
	b, err := datafile.Read(key, maxKeys)
	if err != nil {
		return nil, "", err
	}
	private, err := ssh.ParsePrivateKey(b)
	var locked *ssh.PassphraseMissingError
	if errors.As(err, &locked) {
		err = fmt.Errorf("it has a passphrase: sign with ssh-keygen -Y sign -n %s -f %s FILE", namespace, key)
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", key, err)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	s, err := sshsig.Sign(f, private, sshsig.HashSHA512, namespace)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", key, err)
	}
	return sshsig.Armor(s), ssh.FingerprintSHA256(private.PublicKey()), nil
}

// Signer returns who signed the bundle in a file, by a file of those who may: lines of names and public keys, as
// ssh-keygen takes them. The error is ErrUnsigned without a signature.
func Signer(file, signers string) (string, error) {
	may, err := datafile.Read(signers, maxKeys)
	if err != nil {
		return "", err
	}
	armored, err := datafile.Read(file+SignatureExtension, maxKeys)
	if errors.Is(err, os.ErrNotExist) {
		return "", ErrUnsigned
	}
	if err != nil {
		return "", err
	}
	s, err := sshsig.Unarmor(armored)
	if err != nil {
		return "", fmt.Errorf("%s%s: %w", file, SignatureExtension, err)
	}
	name, err := signerName(may, s.PublicKey)
	if err != nil {
		return "", fmt.Errorf("%s: %w", signers, err)
	}
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if err := sshsig.Verify(f, s, s.PublicKey, s.HashAlgorithm, namespace); err != nil {
		return "", fmt.Errorf("%s%s: %w", file, SignatureExtension, err)
	}
	return name, nil
}

// signerName finds the name of a public key.
func signerName(signers []byte, key ssh.PublicKey) (string, error) {
	for n, line := range strings.Split(string(signers), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		candidate, _, options, _, err := ssh.ParseAuthorizedKey([]byte(rest))
		if err != nil {
			return "", fmt.Errorf("line %d: want a name and a public key: %w", n+1, err)
		}
		if len(options) > 0 {
			return "", fmt.Errorf("line %d: options such as %.40q are not supported", n+1, options[0])
		}
		if bytes.Equal(candidate.Marshal(), key.Marshal()) {
			return name, nil
		}
	}
	return "", fmt.Errorf("the key %s is none of those who may sign", ssh.FingerprintSHA256(key))
}
