import { BufferPool } from '../lib/buffer-pool.ts'

/** Of one write of a long answer; the event loop gets its turn before the next. */
export const WRITE_BYTES = 128 * 1024
/** Kept for the next long answers: 2 MiB. */
const MAX_FREE = 16

/** The memory that the long answers of one server, and the initial events of its watches, are written in. */
export const answerMemory = (): BufferPool => new BufferPool(WRITE_BYTES, MAX_FREE)
