import { BufferPool } from '../../lib/buffer-pool.ts'

/** Bytes of one write of a long response. The event loop gets its turn before the next write. */
export const WRITE_BYTES = 128 * 1024
/** Free buffers that are kept for later responses: 2 MiB together. */
const MAX_FREE = 16

/** Returns the buffers of one server, for its long responses and the initial events of its watches. */
export const responseBuffers = (): BufferPool => new BufferPool(WRITE_BYTES, MAX_FREE)
