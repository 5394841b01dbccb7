import { rm } from 'node:fs/promises'
import { readCommandLine, usage } from '../config/command-line.ts'
import type { Config } from '../config/config.ts'
import { FlagError } from '../config/parse-flags.ts'
import { ArgumentError } from '../lib/arguments.ts'
import { InputBoundError } from '../lib/bounded-input.ts'
import { errorCode } from '../lib/error-code.ts'
import { exitAtRest } from '../lib/exit-at-rest.ts'
import type { Logger } from '../lib/log.ts'
import { createLogger } from '../lib/structured-log.ts'
import { LifecycleError } from '../lifecycle/gates.ts'
import { DEFAULT_RELEASE } from '../lifecycle/release.ts'
import { gitVersion } from '../server/version.ts'
import { withStandIn } from './assets/use-stand-in.ts'

/** Exit codes. Misuse is an invalid command line or an invalid file that it names. */
const FAILURE = 1
export const MISUSE = 2

/** Interval of checks of the channel to the primary, in milliseconds. */
const LOOK_FOR_PRIMARY_MS = 2_000

/** The role of this process. */
export interface ProgramOptions {
  /** Number of this worker. Omitted if the process is not a worker. */
  readonly worker?: number
  /** Serves until the process is stopped. Resolves with the exit code. */
  serve(config: Config, log: Logger): Promise<number>
}

/** Parses the command line, runs it, and sets the exit code. A worker exits if its primary does. */
export function runProgram(argv: readonly string[], options: ProgramOptions): void {
  if (options.worker !== undefined) endWithPrimary()
  runCommand(async () => {
    const code = await run(argv, options)
    // The channel to the primary would keep the process alive.
    if (options.worker !== undefined) process.exit(code)
    return code
  })
}

/**
 * Runs a command and sets the exit code to its result. Prints errors on standard error; the exit code is then 2 for
 * misuse, otherwise `failure`.
 */
export function runCommand(command: () => Promise<number>, failure = FAILURE): void {
  void command()
    .catch((error: unknown) => {
      process.stderr.write(`Error: ${errorText(error)}\n`)
      const code = isMisuse(error) ? MISUSE : failure
      // A failed start may leave open connections, which would keep the process alive.
      exitAtRest(code)
      return code
    })
    .then(code => {
      process.exitCode = code
    })
}

/**
 * Exits when the primary does, as the primary owns the ports. The event `disconnect` is not emitted if the primary
 * exits in the middle of a message, so the channel is also polled.
 */
function endWithPrimary(): void {
  const end = (): never => process.exit(1)
  process.once('disconnect', end)
  setInterval(() => {
    if (!process.connected) end()
  }, LOOK_FOR_PRIMARY_MS).unref()
}

async function run(argv: readonly string[], { worker, serve }: ProgramOptions): Promise<number> {
  const command = readCommandLine(argv)
  if (command.action === 'serve') command.checkFiles()
  switch (command.action) {
    case 'help':
      process.stdout.write(usage(command.profile))
      return 0
    case 'version':
      process.stdout.write(`Kubernetes ${gitVersion(DEFAULT_RELEASE)}\n`)
      return 0
    case 'serve': {
      const { config, ignored } = command
      const log = createLogger({
        verbosity: config.observability.verbosity,
        format: config.observability.loggingFormat,
        write: line => process.stderr.write(line),
        now: Date.now,
        ...(worker !== undefined && { fields: { worker } }),
      })
      // The primary logs for all workers.
      if (worker === undefined) logFlags(config, ignored, log)
      try {
        return await serve(config.storage.etcdStandIn ? await withStandIn(config, log) : config, log)
      } finally {
        if (config.files.dataIsTemporary && config.files.dataDir !== undefined && worker === undefined)
          await rm(config.files.dataDir, { recursive: true, force: true })
      }
    }
  }
}

/** Logs flags that have another effect than in kube-apiserver, and those that have none: `ignored`. */
export function logFlags(config: Config, ignored: readonly string[], log: Logger): void {
  for (const resource of config.storage.watchCache.droppedSizes)
    log.warn('the size in --watch-cache-sizes has no effect: watch caches have no fixed size', { resource })
  for (const what of config.observability.warnings) log.warn(what)
  if (ignored.length > 0) log.info('flags without effect', { flags: ignored.map(name => `--${name}`).join(' ') })
}

/**
 * Whether an error is misuse. Errors of configuration files that flags name are, and the exit of a worker with that
 * code, which all workers would repeat.
 */
const isMisuse = (error: unknown): boolean =>
  [FlagError, ArgumentError, InputBoundError, LifecycleError].some(kind => error instanceof kind) ||
  /^ERR_\w+_CONFIG$/.test(errorCode(error) ?? '') ||
  (error instanceof Error && 'exitCode' in error && error.exitCode === MISUSE)

/**
 * Text of an error. Errors of the system and the store, which have a code, are printed by their message. All others are
 * bugs and are printed with a stack trace.
 */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error || isMisuse(error) ? error.message : (error.stack ?? error.message)
}
