import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FaultSpec } from '../../faults/fault-spec.ts'
import { ArgumentError, readArguments, type Streams } from '../../lib/arguments.ts'
import { readConfigFileSync } from '../../lib/bounded-input.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { Engine, PATIENCE_MS, type Scenario } from '../engine.ts'
import { exploration, UndisturbedError } from '../exploration.ts'
import type { Server } from '../explore.ts'
import { readFaultFile } from '../fault-file.ts'
import type { Entry, RequestEntry } from '../recording.ts'
import type { ExploreFailure } from '../types.ts'
import { ChildTest, type TestProgram, USER } from './child-test.ts'
import { compiledGoTests, isGoTest } from './go-test.ts'
import { type Killable, onInterrupt } from './interrupt.ts'
import { SEES_THREADS } from './running-threads.ts'

const USAGE = `Usage: binnacle explore [flags] -- COMMAND [arguments]

Runs the tests of a controller again and again, each time with a new server and other perturbations that the API's contract allows: watches that are late or cut, stale
lists, errors, conflicts and restarts. Reports the smallest sequence of them after which the tests fail, or the final state is another one.
The command finds the server by $KUBECONFIG; with envtest, $USE_EXISTING_CLUSTER is set. go test compiles once.

      --runs            number of perturbed runs of each test program (default 200)
      --seed            seed of the perturbations (default 1)
      --agent           user agent of the controller, such as 'manager/*', if the tests have another one; may be repeated
      --controller      command of the controller, for a shell, if it is a program of its own: it runs beside the tests, and is killed and started again
      --restart-signal  signal at which the program restarts its controller, such as SIGUSR1 (default: no restarts)
      --release         release that the server emulates
      --apply           manifests that are applied before each run: a file or folder; may be repeated
      --ignore          path of a field that is not compared, such as status.attempts; may be repeated
      --timeout         maximum duration of a run in seconds (default 60)
      --patience        seconds after which the controller goes on by itself at most: a run with another state may still reach the expected one (default 3)
      --replay          a fault file, which is replayed once
      --fault-file      file for the faults of a failure (default: they are printed)
  -v, --verbose         prints each step

Exit status: 0 if nothing was found, 1 if a failure was found, 2 for misuse and tests that fail undisturbed.
`

/** Flags with their forms: `values` may be repeated, and a `switch` has none. */
const OPTIONS = {
  runs: 'value',
  seed: 'value',
  agent: 'values',
  controller: 'value',
  'restart-signal': 'value',
  release: 'value',
  apply: 'values',
  ignore: 'values',
  timeout: 'value',
  patience: 'value',
  replay: 'value',
  'fault-file': 'value',
  verbose: 'switch',
  help: 'switch',
} as const

/** Without the states of threads, a program that computes looks like one at rest. */
const LEAST_QUIET_MS = SEES_THREADS ? 24 : 60

/** Parsed command line. */
interface ExploreCommand {
  /** Command of the tests and its arguments, after `--`. */
  readonly command: readonly string[]
  readonly runs: number
  readonly seed: number
  /** Patterns of user agents. Empty to recognize the controller by its writes. */
  readonly agents: readonly string[]
  /** Command line for a shell. Undefined if the tests run the controller. */
  readonly controller: string | undefined
  /** Undefined if the tests cannot restart their controller. */
  readonly restartSignal: NodeJS.Signals | undefined
  /** Undefined for the default release. */
  readonly release: string | undefined
  /** Paths of manifests. */
  readonly apply: readonly string[]
  /** Paths of fields that are not compared. */
  readonly ignore: readonly string[]
  /** Limit for a run. */
  readonly timeoutMs: number
  readonly patienceMs: number
  /** Path of a fault file. Undefined to draw schedules. */
  readonly replay: string | undefined
  /** Path to write the faults of a failure to. Undefined to print them only. */
  readonly faultFile: string | undefined
  readonly isVerbose: boolean
}

/** Runs `binnacle explore`. Resolves with its exit status. Rejects with an ArgumentError for misuse. */
export async function runExplore(argv: readonly string[], streams: Streams, server: Server): Promise<number> {
  const options = readCommand(argv)
  if (options === 'help') {
    streams.out(USAGE)
    return 0
  }
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-explore-'))
  const running = new Set<Killable>()
  const dispose = onInterrupt(() => {
    for (const program of running) program.kill()
    rmSync(directory, { recursive: true, force: true })
  })
  try {
    const { command } = options
    const programs = isGoTest(command) ? await compiledGoTests(command, directory, { err: streams.err, running }) : [programOf(command)]
    let status = 0
    for (const program of programs)
      status = Math.max(status, await exploreProgram(program, options, { directory, streams, server, running }))
    return status
  } finally {
    dispose()
    rmSync(directory, { recursive: true, force: true })
  }
}

const programOf = (given: readonly string[]): TestProgram => {
  const [command = '', ...args] = given
  return { command, args, cwd: process.cwd(), name: command }
}

/** Context that the programs of a command line share. */
interface Surroundings {
  /** Temporary directory, deleted at the end. */
  readonly directory: string
  readonly streams: Streams
  readonly server: Server
  /** Programs that are killed if this one is. */
  readonly running: Set<Killable>
}

/** Explores one program. Resolves with the exit status. */
async function exploreProgram(
  program: TestProgram,
  options: ExploreCommand,
  { directory, streams, server, running }: Surroundings,
): Promise<number> {
  const { runs, seed, agents, controller, restartSignal, ignore, timeoutMs, patienceMs, replay, isVerbose } = options
  const { startControlPlane, partsOf } = server
  const manifests = options.apply.map(path => pathToFileURL(path))
  const faults = replay === undefined ? undefined : faultsOf(replay)
  const origin = await startControlPlane({ ...(options.release !== undefined && { release: options.release }), manifests }).catch(error => {
    throw new ArgumentError(errorMessage(error))
  })
  const scenario: Scenario = {
    subject: { users: [USER], ...(agents.length > 0 && { agents }) },
    restarts: restartSignal !== undefined || controller !== undefined,
    isController: (request, entries) => agents.length > 0 || controller !== undefined || isOwnWrite(request, entries),
    begin: () => {
      const test = new ChildTest({ program, directory, agents, controller, restartSignal, timeoutMs })
      running.clear()
      running.add(test)
      return test
    },
  }
  const engine = new Engine({ origin, partsOf, scenario, ignore, patienceMs, invariant: undefined }, LEAST_QUIET_MS)
  const log = (line: string): void => (isVerbose ? streams.err(`${program.name}: ${line}\n`) : undefined)
  try {
    const found = await exploration({ engine, scenario, runs, seed, quietMs: undefined, leastQuietMs: LEAST_QUIET_MS, replay: faults, log })
    streams.out(`${program.name}: nothing found in ${found.runs} runs with seed ${seed} (${found.perturbations} perturbations)\n`)
    const unseen = faults === undefined ? omittedText(found.perturbations, scenario.restarts, options) : undefined
    if (unseen !== undefined) streams.err(`${program.name}: ${unseen}\n`)
    for (const text of found.unrepeated) streams.out(`${program.name}: failed once, and not again: ${text}\n`)
    return 0
  } catch (error) {
    if (error instanceof UndisturbedError) {
      streams.err(`Error: ${program.name}: ${error.message}\n`)
      return 2
    }
    if (!isFailure(error)) throw error
    streams.out(`${program.name}: ${error.message}\n`)
    if (options.faultFile !== undefined) writeFileSync(options.faultFile, error.faultFile)
    return 1
  } finally {
    await engine.close()
    await origin.stop()
  }
}

/** Describes perturbations that the runs could not make, and the flag that allows them. Undefined if there are none. */
function omittedText(perturbations: number, restarts: boolean, options: ExploreCommand): string | undefined {
  if (perturbations === 0) return `nothing was perturbed: ${unseenText(options)}`
  return restarts ? undefined : 'the controller was not restarted, and read no stale list: use --restart-signal or --controller'
}

/** Reason why no request could be perturbed. */
function unseenText({ agents, controller }: ExploreCommand): string {
  if (controller !== undefined) return 'the command of --controller made no requests'
  const [agent] = agents
  return agent === undefined
    ? 'no requests of a controller were seen; name its user agent by --agent, or its command by --controller'
    : `no request has the user agent ${agent} (--agent)`
}

/** Reads a fault file. Throws an ArgumentError if it cannot be read. */
function faultsOf(file: string): readonly FaultSpec[] {
  try {
    return readFaultFile(readConfigFileSync(file).toString())
  } catch (error) {
    throw new ArgumentError(`--replay=${file}: ${errorMessage(error)}`)
  }
}

const isFailure = (error: unknown): error is ExploreFailure => error instanceof Error && error.name === 'ExploreFailure'

/**
 * Whether a write is certainly the controller's, if it has the user agent of the test: a write of an object that a
 * controller owns, or of the status of an object that none owns. Tests create and change the latter themselves.
 */
function isOwnWrite(request: RequestEntry, entries: readonly Entry[]): boolean {
  const { verb, resource, namespace, name } = request
  if (verb === 'get' || verb === 'list' || verb === 'watch') return false
  const [kind, subresource] = resource.split('/')
  const events = entries
    .filter(entry => entry.kind === 'event')
    .filter(event => event.resource === kind && (name === '' || (event.name === name && event.namespace === namespace)))
  if (events.length === 0) return false
  const isOwned = events.every(event => event.isOwned)
  return subresource === 'status' ? !isOwned : isOwned
}

/** Parses the command line. Throws an ArgumentError. */
function readCommand(argv: readonly string[]): ExploreCommand | 'help' {
  const end = argv.indexOf('--')
  const given = readArguments(end < 0 ? argv : argv.slice(0, end), OPTIONS, { h: 'help', v: 'verbose' }, '')
  if (given.isOn('help')) return 'help'
  const command = end < 0 ? [] : argv.slice(end + 1)
  if (command.length === 0) throw new ArgumentError('a command is required: binnacle explore -- go test ./...')
  const signal = given.value('restart-signal')
  if (signal !== undefined && !Object.hasOwn(constants.signals, signal))
    throw new ArgumentError(`--restart-signal=${signal}: must be the name of a signal, such as SIGUSR1`)
  const number = (name: string, least: number, fallback: number): number => {
    const value = Number(given.value(name) ?? fallback)
    if (!Number.isSafeInteger(value) || value < least)
      throw new ArgumentError(`--${name}=${given.value(name)}: must be an integer of at least ${least}`)
    return value
  }
  return {
    command,
    runs: number('runs', 1, 200),
    seed: number('seed', 0, 1),
    agents: given.values('agent'),
    controller: given.value('controller'),
    // Checked above.
    restartSignal: signal as NodeJS.Signals | undefined,
    release: given.value('release'),
    apply: given.values('apply'),
    ignore: given.values('ignore'),
    timeoutMs: number('timeout', 1, 60) * 1000,
    patienceMs: number('patience', 0, PATIENCE_MS / 1000) * 1000,
    replay: given.value('replay'),
    faultFile: given.value('fault-file'),
    isVerbose: given.isOn('verbose'),
  }
}
