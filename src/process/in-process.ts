import { rm } from 'node:fs/promises'
import type { ApiClient, ClientUser } from '../clients/api-client.ts'
import { type Command, readCommandLine } from '../config/command-line.ts'
import type { Config } from '../config/config.ts'
import { FlagError } from '../config/parse-flags.ts'
import type { ClientIdentity } from '../control-plane/in-process-client.ts'
import type { Origin } from '../control-plane/origin.ts'
import type { RuntimeOptions } from '../control-plane/runtime.ts'
import type { Logger } from '../lib/log.ts'
import { untilAborted } from '../lib/on-abort.ts'
import { createLogger } from '../lib/structured-log.ts'
import { USER_AGENT } from '../lib/user-agent.ts'
import { gitVersion } from '../server/version.ts'
import { openServer } from './open-server.ts'
import { logFlags } from './program.ts'
import { runtimeOf } from './runtime-of.ts'
import type { GivenParts } from './server-parts.ts'
import type { AdminAccess } from './serving-files.ts'

/** Flags by name, as listed by `binnacle --help`. A list sets a flag several times. */
export type Flags = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** Parsed flags of a server. */
export type ServeCommand = Extract<Command, { readonly action: 'serve' }>

/** Options of `openInProcess`. */
export interface InProcessOptions {
  readonly command: ServeCommand
  /** Receives each line of the log. Undefined if there is none. */
  readonly log: ((line: string) => void) | undefined
  /** Cancels a start in progress. Has no effect on a running server. */
  readonly signal: AbortSignal
  readonly runtime?: RuntimeOptions
  /** Optional. Returns parts that replace those that the configuration would open. */
  readonly give?: (config: Config, log: Logger) => GivenParts
}

/** A running server in this process. */
export interface InProcessServer {
  readonly access: AdminAccess
  /** `gitVersion` of /version. */
  readonly version: string
  /** State for a server on a copy of the store. Undefined until this server has started. */
  origin(): Origin | undefined
  /**
   * Returns a client in the process. Its requests are not authorized, limited or audited, and end when the server
   * stops.
   */
  client(user?: ClientUser): ApiClient
  /**
   * Stops the server. Resolves when requests in progress have ended, ports are free and the store is closed. Further
   * calls return the same promise.
   */
  stop(): Promise<void>
}

/**
 * Opens a server and waits until it is ready. Several may run in one process. Rejects with an Error that names the
 * flag, file or port that prevents the start, or with the signal's reason if it aborts.
 */
export async function openInProcess({ command, log: write, signal, runtime, give }: InProcessOptions): Promise<InProcessServer> {
  signal.throwIfAborted()
  const { config, ignored, checkFiles } = command
  checkFiles()
  const log = createLogger({
    verbosity: config.observability.verbosity,
    format: config.observability.loggingFormat,
    write: line => write?.(line),
    now: Date.now,
  })
  logFlags(config, ignored, log)
  const removeData = async (): Promise<void> => {
    if (config.files.dataIsTemporary && config.files.dataDir !== undefined) await rm(config.files.dataDir, { recursive: true, force: true })
  }
  const server = await openServer(
    { config, log, link: undefined, runtime: runtimeOf(config, runtime), ...(give && { given: give(config, log) }) },
    signal,
  )
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
  // Like the program, a server stops if its certificate authority is not that of the other servers on the store: their
  // clients could not verify it.
  void server.untilEnd(untilAborted(ended.signal)).then(conflict => {
    if (conflict === undefined) return
    log.error('the server stops', { error: conflict.message })
    void stop()
  })
  return {
    access: server.access,
    version: gitVersion(config.release.emulatedVersion),
    origin: () => server.origin(),
    client: user => server.clientOf(identityOf(user)),
    stop,
  }
}

const identityOf = ({
  name = 'kubernetes-admin',
  groups = ['system:masters', 'system:authenticated'],
  userAgent = USER_AGENT,
}: ClientUser = {}): ClientIdentity => ({
  user: { name, groups: [...groups] },
  userAgent,
})

/** Parses the flags of a server in this process. It is ephemeral unless a flag sets its store. Throws a FlagError. */
export function serveCommand(flags: Flags): ServeCommand {
  const isPlaced = ['data-dir', 'etcd-servers', 'ephemeral'].some(name => Object.hasOwn(flags, name))
  const given = Object.entries(flags).flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map(one => `--${name}=${one}`))
  const command = readCommandLine(isPlaced ? given : ['--ephemeral', ...given])
  if (command.action !== 'serve') throw new FlagError(`--${command.action} is a flag of the program and cannot be set for a server`)
  if (command.config.process.workers > 1) throw new FlagError('--workers: only the program can start several processes')
  return command
}
