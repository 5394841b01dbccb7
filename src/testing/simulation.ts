import type { RuntimeOptions } from '../control-plane/runtime.ts'
import { WorkQueues } from '../controllers/work-queues.ts'
import { type Randomness, seededRandomness } from '../lib/randomness.ts'
import { MovedClock } from './moved-clock.ts'
import { quiet } from './quiet.ts'

/** Controllers react to a write within this time, in milliseconds. */
const CONSEQUENCES_MS = 2000
/** Limit of the machine's time for the work that every start causes, in milliseconds. */
const START_MS = 30_000

/**
 * Makes a control plane deterministic: seeded randomness and serialized writes. The consequences of a write are
 * complete before the next one: controllers process one key at a time in the order of keys, and their delays take no
 * real time but end in order.
 */
export class Simulation implements Required<Pick<RuntimeOptions, 'random' | 'queues' | 'settled'>> {
  /** Values that are drawn during the start, in an order that varies, have no influence on later ones. */
  readonly random: Randomness
  readonly queues: WorkQueues
  /** Runs with the machine's time until the server has started. */
  readonly #pauses = new MovedClock({ at: 0, runs: true })
  readonly #revision: () => number
  readonly #first: Randomness
  #hasBegun = false

  constructor(seed: string, revision: () => number) {
    const all = seededRandomness(seed)
    const drawn = (): Randomness => (this.#hasBegun ? all : this.#first)
    this.#first = all.branch('start')
    this.random = { uuid: () => drawn().uuid(), number: () => drawn().number(), branch: name => all.branch(name) }
    this.queues = new WorkQueues(this.#pauses)
    this.#revision = revision
  }

  /**
   * Waits until controllers have done what every start causes, then stops the clock and the queues. From then on only
   * requests cause work.
   */
  async begin(): Promise<void> {
    const deadline = performance.now() + START_MS
    do await quiet(this.#revision, () => this.queues.isIdle)
    while (!this.queues.isIdle && performance.now() < deadline)
    this.#pauses.hold()
    this.queues.hold()
    this.#hasBegun = true
  }

  readonly settled = (): Promise<void> => this.pass(CONSEQUENCES_MS)

  /** Advances the controllers' clock. */
  async pass(milliseconds: number): Promise<void> {
    await this.work()
    await this.#pauses.advance(milliseconds, () => this.work())
  }

  /** Lets controllers do all work that needs no delay. */
  readonly work = async (): Promise<void> => {
    do await quiet(this.#revision, () => this.queues.isAtRest)
    while (this.queues.workOnNext())
  }

  /** Resolves when all consequences of earlier requests are complete. */
  rest(): Promise<void> {
    return this.pass(0)
  }
}
