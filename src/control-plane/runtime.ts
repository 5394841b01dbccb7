import { WatchOutput } from '../endpoints/watch-writing.ts'
import type { BufferPool } from '../lib/buffer-pool.ts'
import { answerMemory } from '../server/answer-memory.ts'
import { ByteBudget, DERIVED_BYTES } from '../storage/byte-budget.ts'

/**
 * The memory that the requests of one server share. Each server has its own, so that a server neither takes from the bounds of another in the same process nor gives it a frame or buffer. What
 * stays one for the process, and why that is safe: docs/decisions/0011-state-has-an-owner.md.
 */
export class Runtime {
  /** Long answers and initial events of watches are written in it. */
  readonly answerMemory: BufferPool = answerMemory()
  /** Frames of recent events, and the bound on what waits for clients that are behind. */
  readonly watchOutput = new WatchOutput()
  /** Bounds parsed objects and other encodings that are kept for the next reader, of all resources together. */
  readonly derived = new ByteBudget(DERIVED_BYTES)
}
