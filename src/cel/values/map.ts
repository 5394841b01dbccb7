import { inUint64 } from '../../lib/integer.ts'
import { isStepDone } from '../../lib/steps.ts'
import { equalValues, isComparing } from './compare.ts'
import { exactInteger, toInt } from './integer.ts'
import { CelDouble, CelMap, CelUint, type Comparing, type Equality, isInt, type Value } from './value.ts'

/** Hash of a key. Equal hashes mean equal keys. */
type HashKey = string | number | bigint | boolean | symbol

/** Offset, greater than every int, that distinguishes the hashes of uints from those of ints. */
const UINT_BASE = 1n << 80n

/** Returns the hash of a key. Equal keys of one type have equal hashes. */
function hashKey(key: Value): HashKey {
  switch (typeof key) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return key
    default:
      if (key instanceof CelUint) return UINT_BASE + key.value
      if (key instanceof CelDouble) return Symbol.for(`double ${key.value}`)
      return Symbol('no key')
  }
}

/** Returns the hashes of equal keys of other numeric types. */
function otherHashes(key: Value): HashKey[] {
  if (!isInt(key) && !(key instanceof CelUint) && !(key instanceof CelDouble)) return []
  const exact = exactInteger(key)
  if (exact === undefined) return []
  const hashes: HashKey[] = []
  const int = toInt(exact)
  if (!isInt(key) && isInt(int)) hashes.push(int)
  if (!(key instanceof CelUint) && inUint64(exact)) hashes.push(UINT_BASE + exact)
  return hashes
}

/** A map of values: a literal, the result of a function, or the accumulator of a loop. Keys are in insertion order. */
export class ValueMap extends CelMap {
  readonly #entries = new Map<HashKey, readonly [Value, Value]>()

  /**
   * Whether it is the accumulator of a loop. Only the loop refers to it until it ends, so entries are added in place.
   */
  readonly isGrowing: boolean

  constructor(entries: Iterable<readonly [Value, Value]> = [], isGrowing = false) {
    super()
    this.isGrowing = isGrowing
    for (const [key, value] of entries) this.set(key, value)
  }

  get size(): number {
    return this.#entries.size
  }

  /** Adds an entry. To be called only by the code that creates the map. */
  set(key: Value, value: Value): void {
    this.#entries.set(hashKey(key), [key, value])
  }

  /** Removes an entry. To be called only by the code that creates the map. */
  delete(key: Value): void {
    this.#entries.delete(hashKey(key))
  }

  /** Returns the value of a key, or of a numerically equal key of another type: `1u` finds the entry of `1`. */
  find(key: Value): Value | undefined {
    const found = this.#entries.get(hashKey(key))
    if (found || typeof key === 'string' || this.#entries.size === 0) return found?.[1]
    for (const hash of otherHashes(key)) {
      const other = this.#entries.get(hash)
      if (other) return other[1]
    }
    return undefined
  }

  *keys(): Generator<Value> {
    for (const [key] of this.#entries.values()) yield key
  }

  override *entries(): Generator<readonly [Value, Value]> {
    yield* this.#entries.values()
  }

  equals(other: Value): Comparing<Equality> {
    return equalMaps(this, other)
  }
}

/** Compares maps by value. An error between two values does not make them different, as in cel-go. */
export function* equalMaps(map: CelMap, other: Value): Comparing<Equality> {
  if (!(other instanceof CelMap) || map.size !== other.size) return false
  for (const [key, value] of map.entries()) {
    const theirs = other.find(key)
    if (theirs === undefined) return false
    const equal = equalValues(value, theirs)
    if ((isComparing(equal) ? yield equal : equal) === false) return false
    if (isStepDone()) yield
  }
  return true
}
