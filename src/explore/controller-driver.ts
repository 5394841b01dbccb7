import type { FaultableRequest } from '../faults/faultable-request.ts'
import type { RunningTest, World } from './engine.ts'
import type { ControllerClient, ExploreTest, StartController, StopController } from './types.ts'

/** Prefix of the controller's user names. The number of the start follows, which tells starts apart. */
const USER = 'controller'
/** Patterns of the users of controllers. */
export const CONTROLLER_USERS: readonly string[] = [`${USER}-*`]
/** Time that a controller gets to stop, in milliseconds. Its requests get no response by then. */
const STOP_MS = 1000
/** Attempts to start a controller, as a program that exits is started again. */
const STARTS = 5
/** Pause between attempts to start, in milliseconds. */
const RESTART_MS = 20

/** A controller as it was started. */
interface Started {
  readonly aborter: AbortController
  readonly stop: StopController | undefined
}

/** Runs a test in this process. A restart stops its controllers and starts them again with a client of another user. */
export class ControllerDriver implements RunningTest {
  /** The test's own client is another user, so all reads of a controller's user are activity. */
  readonly countsReads = true
  // The event loop of this process tells whether it computes.
  readonly isBusy = false
  readonly #test: ExploreTest
  readonly #groups: readonly string[]
  readonly #controllers: StartController[] = []
  #started: Started[] = []
  /** Number of the current start. Requests of earlier ones are severed. */
  #start = 1
  #world: World | undefined
  #restarting: Promise<void> | undefined
  #isOver = false

  constructor(test: ExploreTest, groups: readonly string[]) {
    this.#test = test
    this.#groups = groups
  }

  /** Whether controllers are being stopped or started again. */
  get isRestarting(): boolean {
    return this.#restarting !== undefined
  }

  /** Whether any start of the controller made the request. */
  isController({ user }: FaultableRequest): boolean {
    return user.name.startsWith(`${USER}-`)
  }

  /** Whether an earlier start of the controller made the request. */
  isSevered(request: FaultableRequest): boolean {
    return this.isController(request) && request.user.name !== `${USER}-${this.#start}`
  }

  /** Runs the test, and then waits until everything is settled. Rejects with the error of the test. */
  async perform(world: World): Promise<boolean> {
    this.#world = world
    await this.#test({
      plane: world.plane,
      rest: world.rest,
      settled: world.settled,
      start: async controller => {
        this.#controllers.push(controller)
        await this.#startOne(controller)
      },
    })
    await world.settled()
    return true
  }

  /** Severs the present controllers and starts them again. Restarts follow one another. */
  restart(): void {
    this.#start++
    this.#world?.recording.endSevered()
    this.#restarting = (this.#restarting ?? Promise.resolve())
      .then(() => this.#startAgain())
      .finally(() => {
        this.#restarting = undefined
      })
    // A controller that cannot start fails the run, because the state stays another one.
    this.#restarting.catch(() => {})
  }

  /** Ends a restart in progress, and stops all controllers. */
  async stop(): Promise<void> {
    this.#isOver = true
    this.#start++
    await this.#restarting?.catch(() => {})
    await this.#stopAll()
  }

  /** Stops all controllers, then starts them in the order in which the test has started them. */
  async #startAgain(): Promise<void> {
    await this.#stopAll()
    for (const controller of this.#controllers) await this.#startOne(controller)
  }

  /** Stops all controllers at the same time. Each has STOP_MS; after that it is abandoned. */
  async #stopAll(): Promise<void> {
    const started = this.#started.splice(0)
    for (const { aborter } of started) aborter.abort()
    await Promise.all(
      started.map(async ({ stop }) => stop && Promise.race([stop(), new Promise(resolve => setTimeout(resolve, STOP_MS).unref())])),
    )
  }

  /** Starts a controller with a client of a new user. Tries up to STARTS times, and throws the last error. */
  async #startOne(controller: StartController): Promise<void> {
    const world = this.#world
    if (world === undefined) throw new Error('the test has not begun')
    for (let attempt = 1; !this.#isOver; attempt++) {
      const aborter = new AbortController()
      try {
        const user = await world.plane.user(`${USER}-${this.#start}`, this.#groups)
        const { url, certificateAuthority } = world.plane
        const client: ControllerClient = { ...user, url, certificateAuthority, signal: aborter.signal }
        const stop = (await controller(client)) ?? undefined
        this.#started.push({ aborter, stop })
        return
      } catch (error) {
        aborter.abort()
        if (attempt >= STARTS) throw error
        await new Promise(resolve => setTimeout(resolve, RESTART_MS))
      }
    }
  }
}
