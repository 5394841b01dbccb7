import { prefixEnd } from '../../src/storage/key-range.ts'
import type { RecordedMessage } from './recording-etcd-proxy.ts'

const COMPACT_REV_KEY = 'compact_rev_key'

type Message = Record<string, unknown>
const text = (base64: unknown): string => Buffer.from(String(base64), 'base64').toString()

/** All messages within a message. */
function* within(message: unknown): Generator<Message> {
  if (Array.isArray(message)) for (const each of message) yield* within(each)
  else if (typeof message === 'object' && message !== null) {
    yield message as Message
    for (const each of Object.values(message)) yield* within(each)
  }
}

/** Keys and ranges of a message that do not lie below the prefix, except compact_rev_key. */
export function foreignKeys({ call, message }: RecordedMessage, prefix: string): string[] {
  return [...within(message)].flatMap(({ key, range_end: rangeEnd }) => {
    if (key === undefined) return []
    const [start, end] = [text(key), rangeEnd === undefined ? undefined : text(rangeEnd)]
    const isInside = start.startsWith(`${prefix}/`) && (end === undefined || (end > start && end <= prefixEnd(`${prefix}/`)))
    return isInside || (start === COMPACT_REV_KEY && end === undefined) ? [] : [`${call} ${start}${end === undefined ? '' : ` to ${end}`}`]
  })
}

/** All values of keys in a message. */
export const valuesOf = ({ message }: RecordedMessage): string[] =>
  [...within(message)].flatMap(({ value }) => (value === undefined ? [] : [text(value)]))
