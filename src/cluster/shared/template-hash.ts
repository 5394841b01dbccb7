import { compareText } from '../../lib/compare-text.ts'
import { isLongStepDone, runAtOnce, type Steps, sortInSteps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import { hasMembers } from '../../meta/equal.ts'
import { hasFewValues, MOST_IN_A_STEP } from '../../meta/few-values.ts'

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/** Encodes text with characters that form no words, as apimachinery's SafeEncodeString. */
export const safeEncode = (text: string): string =>
  Array.from(text, character => ALPHABET[character.charCodeAt(0) % ALPHABET.length]).join('')

const [FNV_BASIS, FNV_PRIME] = [0x811c9dc5, 0x01000193]

/**
 * Returns the hash of a template in names and labels, in steps. Equal templates have equal hashes. The form is
 * upstream's: FNV-1a, and with a collision count eight more bytes. The hashed text is JSON with sorted members.
 * Upstream hashes a dump of Go's types, which differs between releases, and never computes a hash again.
 */
export function* templateHashInSteps(template: unknown, collisionCount: number | undefined): Steps<string> {
  const hash = new Fnv1a()
  yield* hashJson(template, hash, sortedJson)
  if (collisionCount !== undefined) {
    const count = Buffer.alloc(8)
    count.writeUInt32LE(collisionCount)
    hash.add(count)
  }
  return safeEncode(String(hash.sum))
}

/** `templateHashInSteps` in one call. */
export const templateHash = (template: unknown, collisionCount: number | undefined): string =>
  runAtOnce(templateHashInSteps(template, collisionCount))

/** A hash of bytes that are added one after the other. */
export interface RunningHash {
  add(bytes: Uint8Array): void
}

/** FNV-1a hash of 32 bits. */
class Fnv1a implements RunningHash {
  sum = FNV_BASIS

  add(bytes: Uint8Array): void {
    let hash = this.sum
    for (const byte of bytes) hash = Math.imul(hash ^ byte, FNV_PRIME)
    this.sum = hash >>> 0
  }
}

/** FNV-1a hash of 32 bits. */
export function fnv1a(bytes: Uint8Array): number {
  const hash = new Fnv1a()
  hash.add(bytes)
  return hash.sum
}

/** FNV-1 hash of 32 bits, which multiplies first. */
export class Fnv1 implements RunningHash {
  sum = FNV_BASIS

  add(bytes: Uint8Array): void {
    let hash = this.sum
    for (const byte of bytes) hash = Math.imul(hash, FNV_PRIME) ^ byte
    this.sum = hash >>> 0
  }
}

/** Bytes that are hashed in one step. */
const CHUNK = 65_536

/**
 * Hashes the JSON of a value in steps, with sorted members and without those that are absent.
 * @param textOf returns the JSON of a small value, or of a name
 */
export function* hashJson(value: unknown, hash: RunningHash, textOf: (value: unknown) => string): Steps<void> {
  const add = (text: string): void => hash.add(Buffer.from(text))
  if (hasFewValues(value, MOST_IN_A_STEP)) {
    const bytes = Buffer.from(textOf(value))
    for (let at = 0; at < bytes.length; at += CHUNK) {
      hash.add(bytes.subarray(at, at + CHUNK))
      if (at > 0 || isLongStepDone()) yield
    }
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      add(i === 0 ? '[' : ',')
      yield* hashJson(item ?? null, hash, textOf)
    }
    add(']')
  } else if (hasMembers(value)) {
    const names = yield* memberNames(value)
    let separator = '{'
    for (const name of yield* sortInSteps(names, compareText)) {
      const member = value[name]
      if (member === undefined) continue
      add(`${separator}${textOf(name)}:`)
      separator = ','
      yield* hashJson(member, hash, textOf)
    }
    add(separator === '{' ? '{}' : '}')
  }
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
