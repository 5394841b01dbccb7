import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultableRequest } from '../../faults/faultable-request.ts'
import { matchesPatterns } from '../../faults/patterns.ts'
import type { RunningTest, World } from '../engine.ts'
import { RunningThreads } from './running-threads.ts'

/** User of the programs under test. */
export const USER = 'explored'
/** Number of characters at the end of the output that a failure shows. */
const SHOWN_OUTPUT = 4000
/** Maximum time for which writes get no response after a signal to restart, in milliseconds. */
const SEVERED_MS = 500
/** Time in which the program is expected to open its watches again, in milliseconds. */
const RESTART_MS = 5000
/** Milliseconds from its watches to its first reconciliation: client-go looks every 100 ms whether caches are synced. */
const SYNC_MS = 250
/** Time between SIGTERM and SIGKILL, in milliseconds. */
const KILL_MS = 2000
/** Pause before a controller that has ended starts again, in milliseconds. */
const STARTS_AGAIN_MS = 50

/** A program to run, with its directory. */
export interface TestProgram {
  /** Executable, found by the PATH. */
  readonly command: string
  readonly args: readonly string[]
  /** Directory in which the program runs. */
  readonly cwd: string
  /** Name in messages. */
  readonly name: string
}

/** Program, controller and limits of a test. */
export interface ChildTestOptions {
  readonly program: TestProgram
  /** Directory for the kubeconfig. */
  readonly directory: string
  /**
   * Patterns of the controller's user agents. If there are none, requests of the controller and of the test are not
   * distinguished.
   */
  readonly agents: readonly string[]
  /** Signal that makes the program restart its controller. Undefined if it cannot. */
  readonly restartSignal: NodeJS.Signals | undefined
  /** Command line of the controller, for a shell. Undefined if the program has the controller in itself. */
  readonly controller: string | undefined
  /** Maximum duration of a run, in milliseconds. */
  readonly timeoutMs: number
}

/** Runs a test as a program of its own, which finds the server in its environment. */
export class ChildTest implements RunningTest {
  /** Whether reads are activity. False if the test and the controller have the same user agent. */
  readonly countsReads: boolean
  readonly #options: ChildTestOptions
  #child: ChildProcess | undefined
  #threads: RunningThreads | undefined
  readonly #controller: ControllerProcess | undefined
  /** Whether it has made requests since the restart. */
  #hasStarted = true
  #severedUntil = 0
  #restartingUntil = 0

  constructor(options: ChildTestOptions) {
    this.#options = options
    // A controller in a process of its own may poll, too.
    this.countsReads = options.agents.length > 0
    this.#controller = options.controller === undefined ? undefined : new ControllerProcess(options.controller)
  }

  /** Whether the controller made the request. A watch by it also ends a restart. */
  isController({ user, userAgent, info }: FaultableRequest): boolean {
    if (user.name !== USER) return false
    const { agents } = this.#options
    const isAgent = agents.length === 0 || matchesPatterns(agents, userAgent.split(' ', 1)[0] ?? '')
    // A controller that polls makes requests all the time.
    if (isAgent && this.isRestarting && (!this.#hasStarted || info.verb === 'watch') && this.#isStarted(info.verb)) {
      this.#hasStarted = true
      this.#severedUntil = 0
      this.#restartingUntil = performance.now() + SYNC_MS
    }
    return isAgent
  }

  /**
   * Whether a request shows that the controller has started again. One in the program of the test stops at the signal,
   * and opens its watches again, often within milliseconds.
   */
  #isStarted(verb: string): boolean {
    return this.#controller === undefined ? verb === 'watch' : performance.now() > this.#severedUntil
  }

  /** Severs writes until the controller has started again: the stopped one must not write any more. */
  isSevered(request: FaultableRequest): boolean {
    return performance.now() < this.#severedUntil && !['get', 'list', 'watch'].includes(request.info.verb) && this.isController(request)
  }

  get isRestarting(): boolean {
    return performance.now() < this.#restartingUntil
  }

  get isBusy(): boolean {
    return this.#threads?.isAny === true || this.#controller?.threads?.isAny === true
  }

  /** Signals the program, or kills the controller's own process. Its writes are severed for a moment. */
  restart(): void {
    const { restartSignal } = this.#options
    this.#hasStarted = false
    if (this.#controller !== undefined) {
      this.#severedUntil = performance.now() + STARTS_AGAIN_MS
      this.#restartingUntil = performance.now() + RESTART_MS
      this.#controller.restart()
    }
    if (restartSignal === undefined) return
    this.#severedUntil = performance.now() + SEVERED_MS
    this.#restartingUntil = performance.now() + RESTART_MS
    this.#child?.kill(restartSignal)
  }

  /**
   * Runs the program to its end. Rejects if it fails, or does not end in time. Resolves with whether the controller was
   * at rest.
   */
  async perform(world: World): Promise<boolean> {
    const { program, directory, timeoutMs } = this.#options
    const user = await world.plane.user(USER, ['system:masters'])
    // A client waits until the server is open, but envtest asks for its version only once.
    await world.plane.request('GET', '/readyz')
    const file = join(directory, 'kubeconfig')
    writeFileSync(file, this.#controller === undefined ? user.kubeconfig : world.plane.kubeconfig, { mode: 0o600 })
    if (this.#controller !== undefined) {
      const own = join(directory, 'controller.kubeconfig')
      writeFileSync(own, user.kubeconfig, { mode: 0o600 })
      this.#controller.start(environment(own))
    }
    const output: Buffer[] = []
    const child = spawn(program.command, program.args, { cwd: program.cwd, env: environment(file), stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    this.#threads = threadsOf(child)
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => output.push(bytes))
    const ended = await exitOf(child, timeoutMs)
    const isInactive = world.isInactive()
    if (ended !== 0) {
      const text = Buffer.concat(output).toString()
      throw new Error(
        `${program.name} ${ended === 'late' ? `did not end within ${timeoutMs / 1000} seconds` : `ended with ${ended}`}\n${text.slice(-SHOWN_OUTPUT)}`,
      )
    }
    const isComparable = isInactive || this.#controller !== undefined
    // The garbage collector of the server may have work, and so may a controller that still runs.
    if (isComparable) await world.settled()
    return isComparable
  }

  /** Kills the programs at once. */
  kill(): void {
    this.#controller?.kill()
    this.#child?.kill('SIGKILL')
  }

  /** Stops the controller, then the program: with SIGTERM, and with SIGKILL after KILL_MS. */
  async stop(): Promise<void> {
    await this.#controller?.stop()
    const child = this.#child
    if (child === undefined || hasEnded(child)) return
    child.kill('SIGTERM')
    if ((await exitOf(child, KILL_MS)) === 'late') child.kill('SIGKILL')
  }
}

/** Variables by which the program finds the server: client-go's, envtest's, and our own. */
const environment = (kubeconfig: string): NodeJS.ProcessEnv => ({
  ...process.env,
  KUBECONFIG: kubeconfig,
  USE_EXISTING_CLUSTER: 'true',
  BINNACLE_EXPLORE: 'true',
  // A controller whose watch is cut may need a second to open it again, which is all the time that Gomega gives by
  // default.
  GOMEGA_DEFAULT_EVENTUALLY_TIMEOUT: process.env.GOMEGA_DEFAULT_EVENTUALLY_TIMEOUT ?? '10s',
})

/** A controller that runs beside the test as a program of its own, and is started again when it ends. */
class ControllerProcess {
  /** Threads of the process, which show whether it computes. Undefined before it starts. */
  threads: RunningThreads | undefined
  readonly #command: string
  #child: ChildProcess | undefined
  #env: NodeJS.ProcessEnv = {}
  #isOver = false

  constructor(command: string) {
    this.#command = command
  }

  /** Starts the program. It is started again whenever it ends, until it is stopped. */
  start(env: NodeJS.ProcessEnv): void {
    this.#env = env
    // Its group is killed with it: the shell may have started it as its child.
    const child = spawn('sh', ['-c', this.#command], { env, stdio: 'ignore', detached: true })
    this.#child = child
    this.threads = threadsOf(child)
    child.once('error', () => {})
    child.once('close', () => void this.#startAgain())
  }

  /** Kills the program, which starts again. */
  restart(): void {
    killGroup(this.#child)
  }

  /** Kills the program for good. */
  kill(): void {
    this.#isOver = true
    killGroup(this.#child)
  }

  /** Kills the program and waits until it has ended. */
  async stop(): Promise<void> {
    this.#isOver = true
    const child = this.#child
    if (child === undefined || hasEnded(child)) return
    const ended = exitOf(child, KILL_MS)
    killGroup(child)
    await ended
  }

  async #startAgain(): Promise<void> {
    await sleep(STARTS_AGAIN_MS)
    if (!this.#isOver) this.start(this.#env)
  }
}

const threadsOf = ({ pid }: ChildProcess): RunningThreads | undefined => (pid === undefined ? undefined : new RunningThreads(pid))

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

/** Kills the group of a process, if it still runs. */
function killGroup(child: ChildProcess | undefined): void {
  if (child?.pid === undefined || hasEnded(child)) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended in the meantime.
  }
}

/** Resolves with the exit status or the signal of a child, or with `late` after the time. */
function exitOf(child: ChildProcess, timeoutMs: number): Promise<number | NodeJS.Signals | 'late'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve('late'), timeoutMs)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve(code ?? signal ?? 1)
    })
  })
}
