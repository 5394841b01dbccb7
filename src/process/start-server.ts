import type { ApiClient, ClientUser } from '../clients/api-client.ts'
import { openInProcess, serveCommand } from './in-process.ts'

/** Options of `startServer`. */
export interface ServerOptions {
  /**
   * Flags by name, as listed by `binnacle --help`:
   * `{ 'emulated-version': '1.34', 'feature-gates': ['A=true', 'B=false']
   * }`. Unless `data-dir`, `etcd-servers` or `ephemeral` is set, the server is ephemeral: its store, certificates and
   * keys are in memory, and it listens on a free port.
   */
  readonly flags?: Readonly<Record<string, string | number | boolean | readonly string[]>>
  /** Called with each line of the log, including its newline. By default, nothing is logged. */
  readonly log?: (line: string) => void
  /** Cancels a start in progress. Has no effect on a running server. */
  readonly signal?: AbortSignal
}

/** A running server. Certificates and the key are PEM. */
export interface Server {
  readonly url: string
  /** URL of the plain HTTP port. Undefined unless the flag `insecure-port` is set. */
  readonly insecureUrl: string | undefined
  /** Single-use link that opens the console. Undefined unless the flag `console` is set. */
  readonly consoleUrl: string | undefined
  /** `gitVersion` of /version: `v1.33.0+binnacle`. */
  readonly version: string
  /** Kubeconfig of an administrator, as YAML. */
  readonly kubeconfig: string
  readonly certificateAuthority: string
  readonly clientCertificate: string
  readonly clientKey: string
  /**
   * Returns a client in the process, which needs no socket. Admission, validation, conflicts and faults are as for
   * other clients, but its requests are not authorized, limited or audited. Objects that it returns are those of the
   * server, and must not be changed.
   */
  client(user?: ClientUser): ApiClient
  /**
   * Stops the server. Resolves when requests in progress have ended, ports are free and the store is closed. May be
   * called several times.
   */
  stop(): Promise<void>
}

/**
 * Starts a server in this process. Several servers may run in one process. Rejects with an Error that names the flag,
 * file or port that prevents the start, or with the signal's reason if the signal aborts.
 *
 * @example
 * const server = await startServer({ flags: { 'emulated-version': '1.34' } })
 * console.log(server.url, server.kubeconfig)
 * await server.stop()
 */
export async function startServer({ flags = {}, log, signal = new AbortController().signal }: ServerOptions = {}): Promise<Server> {
  const { access, version, client, stop } = await openInProcess({ command: serveCommand(flags), log, signal })
  return { ...access, version, client, stop }
}
