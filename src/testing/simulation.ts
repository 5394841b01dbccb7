import type { RuntimeOptions } from '../control-plane/runtime.ts'
import { WorkQueues } from '../controllers/work-queues.ts'
import { type Randomness, seededRandomness } from '../lib/randomness.ts'
import { MovedClock } from './moved-clock.ts'
import { quiet } from './quiet.ts'

/** Controllers pause for less before they do what a write leads to. */
const CONSEQUENCES_MS = 2000

/**
 * What a control plane goes by that does the same each time: chance of a seed, and writes in turn. What a write leads to is done before the next one comes: controllers work on one key after the other, in the order of the keys, and their
 * pauses take no time but end in the order of their times.
 */
export class Simulation implements Required<Pick<RuntimeOptions, 'random' | 'queues' | 'settled'>> {
  readonly random: Randomness
  readonly queues: WorkQueues
  /** Goes with the machine's time until the server has started. */
  private readonly pauses = new MovedClock({ at: 0, runs: true })
  private readonly revision: () => number

  constructor(seed: string, revision: () => number) {
    this.random = seededRandomness(seed)
    this.queues = new WorkQueues(this.pauses)
    this.revision = revision
  }

  /** From now on nothing happens but what requests lead to. */
  begin(): void {
    this.pauses.hold()
    this.queues.hold()
  }

  readonly settled = (): Promise<void> => this.pass(CONSEQUENCES_MS)

  /** Has controllers pause for so long. */
  async pass(milliseconds: number): Promise<void> {
    await this.work()
    await this.pauses.advance(milliseconds, () => this.work())
  }

  /** Has controllers do what they can without a pause. */
  readonly work = async (): Promise<void> => {
    do await quiet(this.revision, () => this.queues.isAtRest)
    while (this.queues.workOnNext())
  }

  /** Resolves when all that requests have led to so far is done. */
  rest(): Promise<void> {
    return this.pass(0)
  }
}
