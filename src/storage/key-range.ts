import type { Key } from './revision.ts'

/** Start and end of the whole keyspace. As in etcd, an end of `\0` means: no end. */
export const keyspaceStart = '\0' as Key
export const keyspaceEnd = '\0' as Key

/** The first key after all keys that begin with the prefix. Keys are ordered by their UTF-8 bytes, which is the order of code points. */
export function prefixEnd(prefix: string): Key {
  const points = [...prefix].map(char => char.codePointAt(0)!)
  while (points.length > 0) {
    const last = points.pop()!
    if (last === 0x10ffff) continue
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1) as Key
  }
  return keyspaceEnd
}

/** The first key after this one. */
export const keyAfter = (key: Key): Key => `${key}\0` as Key
