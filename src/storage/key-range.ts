import { type Key, key } from './revision.ts'

/** Start and end of the whole keyspace. As in etcd, `\0` as the end of a range means that it has none. */
export const keyspaceStart = key('\0')
export const keyspaceEnd = key('\0')

/**
 * Returns the first key after all keys with the prefix. Keys are ordered by their UTF-8 bytes, which is the order of
 * code points.
 */
export function prefixEnd(prefix: string): Key {
  let end = prefix.length
  while (end > 0) {
    const pair = prefix.codePointAt(end - 2) ?? 0
    const last = pair > 0xffff ? pair : prefix.charCodeAt(end - 1)
    end -= last > 0xffff ? 2 : 1
    if (last !== 0x10ffff) return key(prefix.slice(0, end) + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1))
  }
  return keyspaceEnd
}

/** Returns the first key after this one. */
export const keyAfter = (last: Key): Key => key(`${last}\0`)
