import type { WorkQueues } from '../controllers/work-queues.ts'
import { WatchOutput } from '../endpoints/watch-writing.ts'
import type { FaultRules } from '../faults/rules.ts'
import type { BufferPool } from '../lib/buffer-pool.ts'
import { systemClock, type TimerClock } from '../lib/clock.ts'
import { type Randomness, systemRandomness } from '../lib/randomness.ts'
import { responseBuffers } from '../server/http/response-buffers.ts'
import { ByteBudget, DERIVED_BYTES } from '../storage/byte-budget.ts'
import type { RecentRequests } from '../why/recent-requests.ts'

/** Options of a Runtime. All are optional. */
export interface RuntimeOptions {
  /** Optional. Default: the system clock. */
  readonly clock?: TimerClock | undefined
  /** Optional. Rules of faults to inject. Default: no faults. */
  readonly faults?: FaultRules | undefined
  /** Optional. Records recent requests. Default: nothing is recorded. */
  readonly recent?: RecentRequests | undefined
  /** Optional. Defaults to random numbers of the system. */
  readonly random?: Randomness | undefined
  /** Optional. Registers the work queues of controllers, so that the caller sees when they are idle. */
  readonly queues?: WorkQueues | undefined
  /** Optional. See the member of Runtime. */
  readonly settled?: (() => Promise<void>) | undefined
}

/**
 * Shared state of one server: its clock, its randomness and its memory budgets. Every server has its own, so that
 * servers in one process share neither limits nor buffers. docs/decisions/0011-state-has-an-owner.md lists the state
 * that is process-wide, and why that is safe.
 */
export class Runtime {
  /**
   * Clock of everything whose time the API shows: ages, TTLs, tokens, bookmarks, watch timeouts. Connections, request
   * deadlines and outgoing calls use the machine's clock.
   */
  readonly clock: TimerClock
  /** Buffers for long responses and initial events of watches. */
  readonly answerMemory: BufferPool = responseBuffers()
  /** Encoded frames of recent events, and the limit on output that waits for slow watchers. */
  readonly watchOutput = new WatchOutput()
  /** Budget for parsed objects and cached encodings of all resources, in bytes. */
  readonly derived = new ByteBudget(DERIVED_BYTES)

  /** Optional. Injected faults. */
  readonly faults: FaultRules | undefined
  /** Optional. Recent requests with the steps that each went through, for `why`. */
  readonly recent: RecentRequests | undefined
  /** Source of UIDs, generated names, and addresses and ports of services. */
  readonly random: Randomness
  /** Optional. Default: the control plane creates its own. */
  readonly queues: WorkQueues | undefined
  /**
   * Optional. Resolves when queued work is done. Writes then run one by one: each waits for the work of the previous
   * one.
   */
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
