import type { WorkQueues } from '../controllers/work-queues.ts'
import { WatchOutput } from '../endpoints/watch-writing.ts'
import type { FaultRules } from '../faults/rules.ts'
import type { BufferPool } from '../lib/buffer-pool.ts'
import { systemClock, type TimerClock } from '../lib/clock.ts'
import { type Randomness, systemRandomness } from '../lib/randomness.ts'
import { answerMemory } from '../server/answer-memory.ts'
import { ByteBudget, DERIVED_BYTES } from '../storage/byte-budget.ts'
import type { RecentRequests } from '../why/recent-requests.ts'

export interface RuntimeOptions {
  /** Default: the machine's. */
  readonly clock?: TimerClock | undefined
  readonly faults?: FaultRules | undefined
  readonly recent?: RecentRequests | undefined
  readonly random?: Randomness | undefined
  readonly queues?: WorkQueues | undefined
  readonly settled?: (() => Promise<void>) | undefined
}

/**
 * What the parts of one server share: its time, and the memory of its requests. Each server has its own, so that a server neither takes from the bounds of another in the same process nor gives it a
 * frame or buffer. What stays one for the process, and why that is safe: docs/decisions/0011-state-has-an-owner.md.
 */
export class Runtime {
  /** All that the API shows the time of goes by it: ages, times to live, tokens, bookmarks, ends of watches. Connections, requests and calls of other servers go by the machine's. */
  readonly clock: TimerClock
  /** Long answers and initial events of watches are written in it. */
  readonly answerMemory: BufferPool = answerMemory()
  /** Frames of recent events, and the bound on what waits for clients that are behind. */
  readonly watchOutput = new WatchOutput()
  /** Bounds parsed objects and other encodings that are kept for the next reader, of all resources together. */
  readonly derived = new ByteBudget(DERIVED_BYTES)

  /** What is done to requests on purpose; undefined where nothing ever is. */
  readonly faults: FaultRules | undefined
  /** The last requests, and what was found out about each; undefined where nothing is taken down. */
  readonly recent: RecentRequests | undefined
  /** Of uids, generated names, and addresses and ports of services. */
  readonly random: Randomness
  /** Undefined: the control plane makes its own. */
  readonly queues: WorkQueues | undefined
  /** Resolves when nothing is going on any more: writes are let in one by one, each when that of the one before has resolved. Undefined: they come as they come. */
  readonly settled: (() => Promise<void>) | undefined

  constructor({ clock = systemClock, faults, recent, random = systemRandomness, queues, settled }: RuntimeOptions = {}) {
    this.clock = clock
    this.faults = faults
    this.recent = recent
    this.random = random
    this.queues = queues
    this.settled = settled
  }
}
