import type { IncomingHttpHeaders } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { BufferPool } from '../../lib/buffer-pool.ts'
import { type FilledBody, filledWith, wholeOf } from '../../lib/filled-body.ts'
import type { Piece } from '../../lib/pieces.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { writeGzip } from './gzip-pieces.ts'
import { WRITE_BYTES } from './response-buffers.ts'
import { WireStream } from './stream-writer.ts'
import { chunksLength, type Wire } from './wire.ts'

/** Bodies of several buffers are joined up to this many bytes: more writes would cost more than the copy. */
const JOIN_UP_TO = 16 * 1024
/**
 * Parts of a long response that are written in one turn. Copying them takes half a millisecond; a turn for each would
 * add a fifth.
 */
const PARTS_AT_ONCE = 4

const NOTHING = Buffer.alloc(0)
const isSegments = (body: readonly Buffer[] | FilledBody): body is readonly Buffer[] => Array.isArray(body)

/** Returns a body as one buffer, or as a long body that is sent in parts. Up to JOIN_UP_TO bytes are joined. */
export function shapeOf(body: Buffer | readonly Buffer[] | FilledBody): { single: Buffer; long: FilledBody | undefined; length: number } {
  if (Buffer.isBuffer(body)) return { single: body, long: undefined, length: body.length }
  if (!isSegments(body)) {
    const { length } = body
    return length <= JOIN_UP_TO ? { single: wholeOf(body), long: undefined, length } : { single: NOTHING, long: body, length }
  }
  const length = chunksLength(body)
  const [first = NOTHING] = body
  if (body.length <= 1) return { single: first, long: undefined, length }
  return length <= JOIN_UP_TO
    ? { single: Buffer.concat(body, length), long: undefined, length }
    : { single: NOTHING, long: filledWith(body, length), length }
}

/** Sends a long body. The head, with its Content-Length, has been sent. */
export async function sendLong(wire: Wire, body: FilledBody, memory: BufferPool): Promise<void> {
  const pace = new WireStream(wire, memory)
  let parts = 0
  for (let sent = 0; sent < body.length; ) {
    const scratch = memory.take()
    const part = body.fill(scratch)
    sent += part.length
    if (part.buffer === scratch.buffer) wire.write(part, () => memory.give(scratch))
    else {
      memory.give(scratch)
      wire.write(part)
    }
    await pace.drained()
    if (wire.closed) return
    if (sent < body.length && (++parts % PARTS_AT_ONCE === 0 || turnIsSpent())) await nextTurn()
  }
  wire.end()
}

/** Sends a long body compressed. The head, with `Content-Encoding: gzip`, has been sent. */
export async function sendCompressed(wire: Wire, body: FilledBody, memory: BufferPool): Promise<void> {
  if (body.pieces !== undefined) return sendPieces(wire, body.pieces(), memory)
  try {
    await pipeline(bodyParts(body), createGzip({ level: 1 }), wire.sink())
  } catch {
    // The client has gone. The response cannot be completed.
    wire.destroy()
  }
}

/** Writes pieces through buffers of `memory`: each buffer is filled completely before it is written. */
async function sendPieces(wire: Wire, pieces: Iterable<Piece>, memory: BufferPool): Promise<void> {
  const pace = new WireStream(wire, memory)
  let scratch = memory.take()
  let at = 0
  const flush = async (): Promise<boolean> => {
    const full = scratch
    wire.write(full.subarray(0, at), () => memory.give(full))
    scratch = memory.take()
    at = 0
    await pace.drained()
    if (turnIsSpent()) await nextTurn()
    return !wire.closed
  }
  await writeGzip(pieces, async bytes => {
    for (let from = 0; from < bytes.length; ) {
      if (at === scratch.length && !(await flush())) return false
      const taken = bytes.copy(scratch, at, from)
      at += taken
      from += taken
    }
    return true
  })
  if (wire.closed) return memory.give(scratch)
  wire.write(scratch.subarray(0, at), () => memory.give(scratch))
  wire.end()
}

async function* bodyParts(body: FilledBody): AsyncGenerator<Buffer> {
  for (let given = 0; given < body.length; ) {
    // zlib reads the part on another thread, so its memory is not reused.
    const part = body.fill(Buffer.allocUnsafeSlow(WRITE_BYTES))
    given += part.length
    yield part
    await nextTurn()
  }
}

/** Reports whether the client accepts gzip. Like upstream, it ignores an entry with a parameter, such as `gzip;q=1`. */
export function acceptsGzip({ 'accept-encoding': accepted }: IncomingHttpHeaders): boolean {
  if (typeof accepted !== 'string') return false
  return accepted === 'gzip' || accepted.split(',').some(one => one.trim() === 'gzip')
}
