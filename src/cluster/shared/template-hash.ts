import { hasMembers } from '../../meta/equal.ts'

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/** Encodes text with characters that form no words, as apimachinery's SafeEncodeString. */
export const safeEncode = (text: string): string =>
  Array.from(text, character => ALPHABET[character.charCodeAt(0) % ALPHABET.length]).join('')

const [FNV_BASIS, FNV_PRIME] = [0x811c9dc5, 0x01000193]

/** FNV-1a hash of 32 bits. */
export function fnv1a(bytes: Iterable<number>): number {
  let hash = FNV_BASIS
  for (const byte of bytes) hash = Math.imul(hash ^ byte, FNV_PRIME)
  return hash >>> 0
}

/** FNV-1 hash of 32 bits, which multiplies first. */
export function fnv1(bytes: Iterable<number>): number {
  let hash = FNV_BASIS
  for (const byte of bytes) hash = Math.imul(hash, FNV_PRIME) ^ byte
  return hash >>> 0
}

/**
 * Returns the hash of a template in names and labels. Equal templates have equal hashes. The form is upstream's:
 * FNV-1a, and with a collision count eight more bytes. The hashed text is JSON with sorted members. Upstream hashes a
 * dump of Go's types, which differs between releases, and never computes a hash again.
 */
export function templateHash(template: unknown, collisionCount: number | undefined): string {
  const count = Buffer.alloc(collisionCount === undefined ? 0 : 8)
  if (collisionCount !== undefined) count.writeUInt32LE(collisionCount)
  return safeEncode(String(fnv1a(Buffer.concat([Buffer.from(sortedJson(template)), count]))))
}

/** JSON with sorted members, without those that are absent. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    hasMembers(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : typeof member === 'bigint'
        ? String(member)
        : member,
  )
}
