import type { FilledBody } from '../lib/filled-body.ts'
import { nextTurn, turnIsSpent } from '../lib/turn.ts'
import type { AuditedBody } from '../meta/audit.ts'

/** What a line is made of, in order. A FilledBody may hold newlines yet. */
export type LinePart = Buffer | FilledBody

/** A line of the log: ready bytes, or bytes that are made while it is written. It is written once. */
export interface AuditLine {
  readonly parts: readonly LinePart[]
  /** Bytes, with the newline. */
  readonly length: number
}

const NEWLINE = 0x0a
const SPACE = 0x20
const PART_BYTES = 128 * 1024

/** Texts and bodies in turn, and a newline. */
export function lineOf(pieces: readonly (string | AuditedBody)[]): AuditLine {
  const parts: LinePart[] = []
  let text = ''
  const flush = (): void => {
    if (text !== '') parts.push(Buffer.from(text))
    text = ''
  }
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text += piece
      continue
    }
    flush()
    if (isFilled(piece)) parts.push(piece)
    else parts.push(...withoutNewline(Buffer.isBuffer(piece) ? [piece] : piece).map(onOneLine))
  }
  text += '\n'
  flush()
  return { parts, length: parts.reduce((bytes, part) => bytes + part.length, 0) }
}

/** Lists and buffers have a method `fill` of their own. */
export const isFilled = (body: AuditedBody): body is FilledBody => !Array.isArray(body) && !Buffer.isBuffer(body)

function withoutNewline(buffers: readonly Buffer[]): readonly Buffer[] {
  const last = buffers.at(-1)
  if (last?.at(-1) !== NEWLINE) return buffers
  return [...buffers.slice(0, -1), last.subarray(0, -1)]
}

/** The bytes of a body in turn, which may be shared with others. The rest of the server has its turns between them. A FilledBody is used up. */
export async function* bytesOf(body: AuditedBody): AsyncGenerator<Buffer, void> {
  if (Buffer.isBuffer(body)) yield body
  else if (!isFilled(body)) yield* body
  else {
    for (let read = 0; read < body.length; ) {
      if (turnIsSpent()) await nextTurn()
      const part = body.fill(Buffer.allocUnsafe(PART_BYTES))
      read += part.length
      yield part
    }
  }
}

/** A newline between tokens is as good as a space, and within texts there is none: nothing that is quoted can begin a line. */
export function onOneLine(part: Buffer): Buffer {
  let at = part.indexOf(NEWLINE)
  if (at < 0) return part
  const copy = Buffer.from(part)
  for (; at >= 0; at = copy.indexOf(NEWLINE, at)) copy[at] = SPACE
  return copy
}
