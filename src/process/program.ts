import { rm } from 'node:fs/promises'
import { readCommandLine, usage } from '../config/command-line.ts'
import type { Config } from '../config/config.ts'
import { FlagError } from '../config/parse-flags.ts'
import { ArgumentError } from '../lib/arguments.ts'
import { errorCode } from '../lib/error-code.ts'
import { exitAtRest } from '../lib/exit-at-rest.ts'
import type { Logger } from '../lib/log.ts'
import { createLogger } from '../lib/structured-log.ts'
import { LifecycleError } from '../lifecycle/gates.ts'
import { DEFAULT_RELEASE } from '../lifecycle/release.ts'
import { gitVersion } from '../server/version.ts'
import { withStandIn } from './assets/use-stand-in.ts'

/** Exit codes. A misuse is a command line that cannot be followed, the files that it names included. */
const FAILURE = 1
export const MISUSE = 2

const LOOK_FOR_PRIMARY_MS = 2_000

/** How the program runs in this process. */
export interface ProgramOptions {
  /** The number of this worker; absent in a process that is none. */
  readonly worker?: number
  /** Does what the command line asks for, where that is to serve. Resolves with the exit code when it has ended. */
  serve(config: Config, log: Logger): Promise<number>
}

/** Runs the program, and sets the exit code when it has ended. */
export function runProgram(argv: readonly string[], options: ProgramOptions): void {
  if (options.worker !== undefined) endWithPrimary()
  runCommand(async () => {
    const code = await run(argv, options)
    // The channel to the primary would keep it.
    if (options.worker !== undefined) process.exit(code)
    return code
  })
}

/** Runs what the program was started for, and sets the exit code when it has ended. `failure`: that of an error which is no misuse. */
export function runCommand(command: () => Promise<number>, failure = FAILURE): void {
  void command()
    .catch((error: unknown) => {
      process.stderr.write(`Error: ${describe(error)}\n`)
      const code = isMisuse(error) ? MISUSE : failure
      // A start that has failed may have left connections that would keep the process.
      exitAtRest(code)
      return code
    })
    .then(code => {
      process.exitCode = code
    })
}

/** A worker without its primary has no ports. The event does not come where the primary ended in the middle of a message. */
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
        verbosity: config.verbosity,
        format: config.loggingFormat,
        write: line => process.stderr.write(line),
        now: Date.now,
        ...(worker !== undefined && { fields: { worker } }),
      })
      // Of several processes, the primary says so.
      if (worker === undefined) logFlags(config, ignored, log)
      try {
        return await serve(config.etcdStandIn ? await withStandIn(config, log) : config, log)
      } finally {
        if (config.dataIsTemporary && config.dataDir !== undefined && worker === undefined) await rm(config.dataDir, { recursive: true, force: true })
      }
    }
  }
}

/** Says what of the flags has not the effect that it has in kube-apiserver. `ignored`: names of those that have none. */
export function logFlags(config: Config, ignored: readonly string[], log: Logger): void {
  for (const resource of config.droppedWatchCacheSizes) log.warn('a size of the watch cache has no effect: it has no fixed one', { resource })
  for (const what of config.warnings) log.warn(what)
  if (ignored.length > 0) log.info('flags without effect', { flags: ignored.map(name => `--${name}`).join(' ') })
}

/** Configuration files that flags name are a part of the command line. A worker that ends so has found a fault for all. */
const isMisuse = (error: unknown): boolean =>
  [FlagError, ArgumentError, LifecycleError].some(kind => error instanceof kind) ||
  /^ERR_\w+_CONFIG$/.test(errorCode(error) ?? '') ||
  (error instanceof Error && 'exitCode' in error && error.exitCode === MISUSE)

/** What the system or the store refuses is the user's to mend; anything else is a bug, and its place is printed. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error || isMisuse(error) ? error.message : (error.stack ?? error.message)
}
