import { openInProcess, serveCommand } from './in-process.ts'

/** How a server is started in this process. */
export interface ServerOptions {
  /**
   * Flags by their names, as `binnacle --help` lists them: `{ 'emulated-version': '1.34', 'feature-gates': ['A=true', 'B=false'] }`. Without `data-dir`, `etcd-servers` and `ephemeral` the server is
   * ephemeral: its store, certificates and keys are in memory, and its port is a free one.
   */
  readonly flags?: Readonly<Record<string, string | number | boolean | readonly string[]>>
  /** Called with each line of the log, its end included. Default: there is none. */
  readonly log?: (line: string) => void
  /** Ends a start that is not done. */
  readonly signal?: AbortSignal
}

/** A server that is ready. All but URLs and version is PEM, where nothing else is said. */
export interface Server {
  readonly url: string
  /** Plain HTTP, with `insecure-port`. */
  readonly insecureUrl: string | undefined
  /** A link that opens the console once, with `console`. */
  readonly consoleUrl: string | undefined
  /** As /version has it: `v1.33.0+binnacle`. */
  readonly version: string
  /** YAML, of an administrator. */
  readonly kubeconfig: string
  readonly certificateAuthority: string
  readonly clientCertificate: string
  readonly clientKey: string
  /** Resolves when requests in progress have ended, ports are free and the store is closed. May be called again. */
  stop(): Promise<void>
}

/**
 * Starts a server in this process, beside others that may run in it. Rejects with an Error that names the flag, the file or the port that it cannot start with, and with the signal's reason where that
 * aborts.
 *
 * @example
 * const server = await startServer({ flags: { 'emulated-version': '1.34' } })
 * console.log(server.url, server.kubeconfig)
 * await server.stop()
 */
export async function startServer({ flags = {}, log, signal = new AbortController().signal }: ServerOptions = {}): Promise<Server> {
  const { access, version, stop } = await openInProcess({ command: serveCommand(flags), log, signal })
  return { ...access, version, stop }
}
