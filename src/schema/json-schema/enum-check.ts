import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import type { Json } from '../../api/meta/object.ts'
import { isWide } from '../../lib/wide-objects.ts'
import { deepEqual } from '../../meta/equal.ts'
import { isGoInteger } from '../../meta/whole-floats.ts'
import { ValueResult } from './value-result.ts'

/** An enum prepared for comparison. */
interface Enum {
  readonly scalars: ReadonlySet<Json>
  /** Objects and lists by their sketches. */
  readonly composites: ReadonlyMap<string, readonly Json[]>
  /** The values as messages list them. */
  readonly texts: string
}

/** Enums by the list in the schema, which may be long and is compared with each item of a list. */
const enums = new WeakMap<readonly Json[], Enum>()

function enumOf(allowed: readonly Json[]): Enum {
  let known = enums.get(allowed)
  if (!known) {
    known = {
      scalars: new Set(allowed.filter(one => typeof one !== 'object')),
      composites: bySketch(allowed.filter(one => typeof one === 'object' && one !== null)),
      texts: allowed.map(one => (typeof one === 'string' ? one : one === null ? '<nil>' : String(one))).join(' '),
    }
    enums.set(allowed, known)
  }
  return known
}

function bySketch(values: readonly Json[]): Enum['composites'] {
  const composites = new Map<string, Json[]>()
  for (const value of values) {
    const sketch = sketchOf(value, { left: MOST_PARTS })
    const alike = composites.get(sketch)
    if (alike) alike.push(value)
    else composites.set(sketch, [value])
  }
  return composites
}

/** Returns a fault unless the value is allowed. `isFloat`: whether a whole number is a float in Go. */
export function checkEnum(value: Json, { enum: allowed }: JsonSchemaProps, name: string, isFloat: boolean): ValueResult | undefined {
  if (!allowed) return undefined
  const { scalars, composites, texts } = enumOf(allowed)
  // Null is not found even if it is allowed, because upstream does not compare nulls.
  const found = typeof value === 'object' ? value !== null && isAmong(composites, value) : hasScalar(scalars, value)
  if (found) return undefined
  return ValueResult.of({ kind: 'enum', name, value, isFloat, allowed, message: `${name} in body should be one of [${texts}]` })
}

const isAmong = (composites: Enum['composites'], value: Json): boolean =>
  composites.get(sketchOf(value, { left: MOST_PARTS }))?.some(one => deepEqual(one, value)) === true

/** Limits of a sketch, so that a large value costs no more at each level at which it is compared. */
const MOST_PARTS = 256
const MOST_CHARACTERS = 64

/**
 * Returns a text that is the same for all values that `deepEqual` considers equal, and different for most other small
 * values.
 */
function sketchOf(value: Json | undefined, parts: { left: number }): string {
  if (isNil(value)) return 'null'
  if (--parts.left < 0) return '*'
  if (typeof value === 'string') return JSON.stringify(value.slice(0, MOST_CHARACTERS))
  // An integer may be a bigint.
  if (typeof value !== 'object') return String(typeof value === 'boolean' ? value : Number(value))
  if (Array.isArray(value)) return value.length > MOST_PARTS ? '[*]' : `[${value.map(item => sketchOf(item, parts)).join()}]`
  if (isWide(value)) return '{*}'
  const names: string[] = []
  for (const name in value) if (!isNil(value[name]) && names.push(name) > MOST_PARTS) return '{*}'
  const members = names.sort().map(name => `${name.slice(0, MOST_CHARACTERS)}:${sketchOf(value[name], parts)}`)
  return `{${members.join()}}`
}

/** Whether `deepEqual` treats the value as absent. */
const isNil = (value: Json | undefined): value is null | undefined =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/**
 * Compares like Go, which converts a float to an integer by dropping its fraction, and an integer to the text of its
 * character.
 */
function hasScalar(scalars: ReadonlySet<Json>, value: Exclude<Json, object | null>): boolean {
  if (scalars.has(value)) return true
  if (typeof value !== 'number') return false
  return isGoInteger(value, false) ? scalars.has(characterOf(value)) : scalars.has(Math.trunc(value))
}

/** Converts an integer to a string like Go. */
const characterOf = (code: number): string => (code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : '\ufffd')
