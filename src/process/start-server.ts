import { rm } from 'node:fs/promises'
import { type Command, readCommandLine } from '../config/command-line.ts'
import { FlagError } from '../config/parse-flags.ts'
import { Runtime } from '../control-plane/runtime.ts'
import { createLogger } from '../lib/structured-log.ts'
import { gitVersion } from '../server/version.ts'
import { openServer } from './open-server.ts'
import { logFlags } from './program.ts'

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
 */
export async function startServer({ flags = {}, log: write, signal = new AbortController().signal }: ServerOptions = {}): Promise<Server> {
  signal.throwIfAborted()
  const { config, ignored, checkFiles } = commandOf(flags)
  checkFiles()
  const log = createLogger({ verbosity: config.verbosity, format: config.loggingFormat, write: line => write?.(line), now: Date.now })
  logFlags(config, ignored, log)
  const removeData = async (): Promise<void> => {
    if (config.dataIsTemporary && config.dataDir !== undefined) await rm(config.dataDir, { recursive: true, force: true })
  }
  const server = await openServer({ config, log, link: undefined, runtime: new Runtime() }, signal)
  const ended = new AbortController()
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => {
    ended.abort()
    stopped ??= (server?.stop() ?? Promise.resolve()).then(removeData)
    return stopped
  }
  await server?.untilReady(signal)
  if (signal.aborted || server?.access === undefined) {
    await stop()
    throw signal.reason
  }
  // As the program does: clients of the others on its store could not check this one.
  const end = new Promise<void>(resolve => ended.signal.addEventListener('abort', () => resolve(), { once: true }))
  void server.untilEnd(end).then(conflict => {
    if (conflict === undefined) return
    log.error('the server stops', { error: conflict.message })
    void stop()
  })
  return { ...server.access, version: gitVersion(config.emulatedVersion), stop }
}

/** Throws FlagError. */
function commandOf(flags: NonNullable<ServerOptions['flags']>): Extract<Command, { readonly action: 'serve' }> {
  const isPlaced = ['data-dir', 'etcd-servers', 'ephemeral'].some(name => Object.hasOwn(flags, name))
  const given = Object.entries(flags).flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map(one => `--${name}=${one}`))
  const command = readCommandLine(isPlaced ? given : ['--ephemeral', ...given])
  if (command.action !== 'serve') throw new FlagError(`--${command.action} is a flag of the program, and not of a server`)
  if (command.config.workers > 1) throw new FlagError('--workers: several processes are started by the program alone')
  return command
}
