import type { FilledBody } from '../lib/filled-body.ts'
import { nextTurn, turnIsSpent } from '../lib/turn.ts'
import type { AuditedBody } from '../meta/audit.ts'

/** A part of a line. A FilledBody may still contain newlines. */
export type LinePart = Buffer | FilledBody

/** A line of the log: bytes, or a body that is made while it is written. It can be written once. */
export interface AuditLine {
  readonly parts: readonly LinePart[]
  /** Bytes, including the newline. */
  readonly length: number
}

const NEWLINE = 0x0a
const SPACE = 0x20
const PART_BYTES = 128 * 1024

/** Joins strings and bodies to a line. */
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

/** Reports whether a body is made while it is read. Arrays and buffers have a `fill` method of their own. */
export const isFilled = (body: AuditedBody): body is FilledBody => !Array.isArray(body) && !Buffer.isBuffer(body)

function withoutNewline(buffers: readonly Buffer[]): readonly Buffer[] {
  const last = buffers.at(-1)
  if (last?.at(-1) !== NEWLINE) return buffers
  return [...buffers.slice(0, -1), last.subarray(0, -1)]
}

/**
 * Returns the bytes of a body in parts, which may be shared. The event loop gets turns in between. Consumes a
 * FilledBody.
 */
export async function* bodyBytes(body: AuditedBody): AsyncGenerator<Buffer, void> {
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

/**
 * Replaces newlines by spaces. JSON has newlines only between tokens, where both are equivalent. A quoted text can
 * therefore not begin a line.
 */
export function onOneLine(part: Buffer): Buffer {
  let at = part.indexOf(NEWLINE)
  if (at < 0) return part
  const copy = Buffer.from(part)
  for (; at >= 0; at = copy.indexOf(NEWLINE, at)) copy[at] = SPACE
  return copy
}
