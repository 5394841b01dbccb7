import type { IncomingHttpHeaders } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { BufferPool } from '../lib/buffer-pool.ts'
import { type FilledBody, filledWith, wholeOf } from '../lib/filled-body.ts'
import type { Piece } from '../lib/pieces.ts'
import { nextTurn, turnIsSpent } from '../lib/turn.ts'
import { WRITE_BYTES } from './answer-memory.ts'
import { writeGzip } from './gzip-pieces.ts'
import { WireStream } from './stream-writer.ts'
import { lengthOf, type Wire } from './wire.ts'

const JOIN_UP_TO = 16 * 1024
/** Parts of a long answer that are written in one turn: half a millisecond of copying, where a turn for each would cost a fifth of it. */
const PARTS_AT_ONCE = 4

const NOTHING = Buffer.alloc(0)
const isSegments = (body: readonly Buffer[] | FilledBody): body is readonly Buffer[] => Array.isArray(body)

/** One buffer, or a long body to be sent in parts. A few small pieces cost more to write than to join. */
export function shapeOf(body: Buffer | readonly Buffer[] | FilledBody): { single: Buffer; long: FilledBody | undefined; length: number } {
  if (Buffer.isBuffer(body)) return { single: body, long: undefined, length: body.length }
  if (!isSegments(body)) {
    const { length } = body
    return length <= JOIN_UP_TO ? { single: wholeOf(body), long: undefined, length } : { single: NOTHING, long: body, length }
  }
  const length = lengthOf(body)
  const [first = NOTHING] = body
  if (body.length <= 1) return { single: first, long: undefined, length }
  return length <= JOIN_UP_TO ? { single: Buffer.concat(body, length), long: undefined, length } : { single: NOTHING, long: filledWith(body, length), length }
}

/** After the head, of which the length is a part. */
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

/** After the head, which says gzip. */
export async function sendCompressed(wire: Wire, body: FilledBody, memory: BufferPool): Promise<void> {
  if (body.pieces !== undefined) return sendPieces(wire, body.pieces(), memory)
  try {
    await pipeline(partsOf(body), createGzip({ level: 1 }), wire.sink())
  } catch {
    // The client has gone; what was written of the answer can't be ended well.
    wire.destroy()
  }
}

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

async function* partsOf(body: FilledBody): AsyncGenerator<Buffer> {
  for (let given = 0; given < body.length; ) {
    // Compression works on it in another thread: memory of its own.
    const part = body.fill(Buffer.allocUnsafeSlow(WRITE_BYTES))
    given += part.length
    yield part
    await nextTurn()
  }
}

/** As upstream reads it: `gzip` as it stands, with no parameter. */
export function acceptsGzip({ 'accept-encoding': accepted }: IncomingHttpHeaders): boolean {
  if (typeof accepted !== 'string') return false
  return accepted === 'gzip' || accepted.split(',').some(one => one.trim() === 'gzip')
}
