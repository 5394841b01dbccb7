// A kubelet's streaming server, of k8s.io/kubelet: commands run on this machine, ports are this machine's. It prints the port on which it listens.
package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/creack/pty"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/kubelet/pkg/cri/streaming/portforward"
	streaming "k8s.io/kubelet/pkg/cri/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

const (
	idle     = 4 * time.Hour
	creation = 30 * time.Second
)

type runtime struct{}

// exitCode is how a command that failed tells its code.
func exitCode(err error) error {
	if failed, ok := err.(*exec.ExitError); ok {
		return utilexec.CodeExitError{Err: err, Code: failed.ExitCode()}
	}
	return err
}

func (runtime) ExecInContainer(ctx context.Context, _ string, _ types.UID, _ string, words []string, in io.Reader, out, err io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize, _ time.Duration) error {
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	if tty {
		return exitCode(runOnTerminal(command, in, out, resize))
	}
	command.Stdout, command.Stderr = out, err
	if in != nil {
		// Not command.Stdin: its end would be waited for.
		stdin, fault := command.StdinPipe()
		if fault != nil {
			return fault
		}
		go func() {
			io.Copy(stdin, in)
			stdin.Close()
		}()
	}
	return exitCode(command.Run())
}

func runOnTerminal(command *exec.Cmd, in io.Reader, out io.Writer, resize <-chan remotecommand.TerminalSize) error {
	terminal, err := pty.Start(command)
	if err != nil {
		return err
	}
	defer terminal.Close()
	go func() {
		for size := range resize {
			pty.Setsize(terminal, &pty.Winsize{Rows: size.Height, Cols: size.Width})
		}
	}()
	if in != nil {
		go io.Copy(terminal, in)
	}
	io.Copy(out, terminal)
	return command.Wait()
}

// AttachContainer joins a process that says what it hears.
func (runtime) AttachContainer(_ context.Context, _ string, _ types.UID, container string, in io.Reader, out, _ io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize) error {
	fmt.Fprintf(out, "attached to %s\n", container)
	if in != nil {
		io.Copy(out, in)
	}
	return nil
}

func (runtime) PortForward(_ context.Context, _ string, _ types.UID, port int32, stream io.ReadWriteCloser) error {
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	defer conn.Close()
	go func() {
		io.Copy(conn, stream)
		conn.(*net.TCPConn).CloseWrite()
	}()
	_, err = io.Copy(stream, conn)
	return err
}

func serve(w http.ResponseWriter, req *http.Request) {
	protocols := []string{"v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io"}
	if only := os.Getenv("PROTOCOLS"); only != "" {
		protocols = strings.Split(only, ",")
	}
	// Empty, verb, namespace, pod, container.
	path := append(strings.Split(req.URL.Path, "/"), "", "", "")
	verb, pod, container := path[1], path[3], path[4]
	if verb == "portForward" {
		options, err := portforward.NewV4Options(req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		portforward.ServePortForward(w, req, runtime{}, pod, "", options, idle, creation, portforward.SupportedProtocols)
		return
	}
	options, err := streaming.NewOptions(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch verb {
	case "exec":
		streaming.ServeExec(w, req, runtime{}, pod, "", container, req.URL.Query()["command"], options, idle, creation, protocols)
	case "attach":
		streaming.ServeAttach(w, req, runtime{}, pod, "", container, options, idle, creation, protocols)
	default:
		http.NotFound(w, req)
	}
}

func selfSigned() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		log.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// main ends with its standard input.
func main() {
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{selfSigned()}, NextProtos: []string{"http/1.1"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	go func() {
		io.Copy(new(bytes.Buffer), os.Stdin)
		os.Exit(0)
	}()
	log.Fatal(http.Serve(listener, http.HandlerFunc(serve)))
}
