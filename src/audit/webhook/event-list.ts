import { JSON_TYPE } from '../json-line.ts'
import { bodyBytes } from '../line.ts'
import type { WrittenEvent } from '../sink.ts'

const HEAD = Buffer.from('{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[')
const TAIL = Buffer.from(']}\n')
const OPEN = Buffer.from('{')
const COMMA = Buffer.from(',{')
/** Length of the type at the beginning of each line, which items of a list lack. */
const TYPE_BYTES = Buffer.byteLength(`{${JSON_TYPE},`)

/**
 * Returns an audit.k8s.io/v1 EventList of the events' lines, as Go writes it: items have no type. Consumes bodies that
 * are made while they are read.
 */
export async function eventList(events: readonly WrittenEvent[]): Promise<Buffer> {
  const buffers: Buffer[] = [HEAD]
  for (const [i, { line }] of events.entries()) {
    buffers.push(i === 0 ? OPEN : COMMA)
    for (const [j, part] of line.parts.entries()) {
      if (!Buffer.isBuffer(part)) for await (const bytes of bodyBytes(part)) buffers.push(bytes)
      else {
        const isLast = j === line.parts.length - 1
        buffers.push(part.subarray(j === 0 ? TYPE_BYTES : 0, isLast ? part.length - 1 : part.length))
      }
    }
  }
  buffers.push(TAIL)
  return Buffer.concat(buffers)
}
