import { rm } from 'node:fs/promises'
import { type Command, readCommandLine } from '../config/command-line.ts'
import type { Config } from '../config/config.ts'
import { FlagError } from '../config/parse-flags.ts'
import type { Origin } from '../control-plane/origin.ts'
import type { RuntimeOptions } from '../control-plane/runtime.ts'
import type { Logger } from '../lib/log.ts'
import { untilAborted } from '../lib/on-abort.ts'
import { createLogger } from '../lib/structured-log.ts'
import { gitVersion } from '../server/version.ts'
import { type GivenParts, openServer } from './open-server.ts'
import { logFlags } from './program.ts'
import { runtimeOf } from './runtime-of.ts'
import type { AdminAccess } from './serving-files.ts'

/** Flags by their names, as `binnacle --help` lists them. */
export type Flags = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** Flags that are read. */
export type ServeCommand = Extract<Command, { readonly action: 'serve' }>

export interface InProcessOptions {
  readonly command: ServeCommand
  /** Takes each line of the log. */
  readonly log: ((line: string) => void) | undefined
  /** Ends a start that is not done. */
  readonly signal: AbortSignal
  readonly runtime?: RuntimeOptions
  /** Makes parts of the server in place of what the configuration would have opened. */
  readonly give?: (config: Config, log: Logger) => GivenParts
}

/** A server in this process that is ready. */
export interface InProcessServer {
  readonly access: AdminAccess
  /** As /version has it. */
  readonly version: string
  /** For a server on a copy of the store. */
  origin(): Origin | undefined
  /** Resolves when requests in progress have ended, ports are free and the store is closed. May be called again. */
  stop(): Promise<void>
}

/** Opens a server beside others that may run in this process, and waits until it is ready. Rejects with an Error that names what it cannot start with, and with the signal's reason where that aborts. */
export async function openInProcess({ command, log: write, signal, runtime, give }: InProcessOptions): Promise<InProcessServer> {
  signal.throwIfAborted()
  const { config, ignored, checkFiles } = command
  checkFiles()
  const log = createLogger({ verbosity: config.verbosity, format: config.loggingFormat, write: line => write?.(line), now: Date.now })
  logFlags(config, ignored, log)
  const removeData = async (): Promise<void> => {
    if (config.dataIsTemporary && config.dataDir !== undefined) await rm(config.dataDir, { recursive: true, force: true })
  }
  const server = await openServer({ config, log, link: undefined, runtime: runtimeOf(config, runtime), ...(give && { given: give(config, log) }) }, signal)
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
  void server.untilEnd(untilAborted(ended.signal)).then(conflict => {
    if (conflict === undefined) return
    log.error('the server stops', { error: conflict.message })
    void stop()
  })
  return { access: server.access, version: gitVersion(config.emulatedVersion), origin: () => server.origin(), stop }
}

/** What the flags ask for, of a server in this process. Throws FlagError. */
export function serveCommand(flags: Flags): ServeCommand {
  const isPlaced = ['data-dir', 'etcd-servers', 'ephemeral'].some(name => Object.hasOwn(flags, name))
  const given = Object.entries(flags).flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map(one => `--${name}=${one}`))
  const command = readCommandLine(isPlaced ? given : ['--ephemeral', ...given])
  if (command.action !== 'serve') throw new FlagError(`--${command.action} is a flag of the program, and not of a server`)
  if (command.config.workers > 1) throw new FlagError('--workers: several processes are started by the program alone')
  return command
}
