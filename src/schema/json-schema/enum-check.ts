import { deepEqual } from '../../meta/equal.ts'
import type { Json } from '../../meta/object.ts'
import { isGoInteger } from '../../meta/whole-floats.ts'
import type { JsonSchemaProps } from './props.ts'
import { ValueResult } from './value-result.ts'

/** The values of an enum as they are compared. */
interface Enum {
  readonly scalars: ReadonlySet<Json>
  /** As messages list them. */
  readonly texts: string
}

/** By the list in the schema, which may be long and is compared with for each item of a list. */
const enums = new WeakMap<readonly Json[], Enum>()

function enumOf(allowed: readonly Json[]): Enum {
  let known = enums.get(allowed)
  if (!known) {
    known = {
      scalars: new Set(allowed.filter(one => typeof one !== 'object')),
      texts: allowed.map(one => (typeof one === 'string' ? one : one === null ? '<nil>' : String(one))).join(' '),
    }
    enums.set(allowed, known)
  }
  return known
}

/** Undefined where the value is one of those that are allowed. `isFloat`: a whole number that is a float to Go. */
export function checkEnum(value: Json, { enum: allowed }: JsonSchemaProps, name: string, isFloat: boolean): ValueResult | undefined {
  if (!allowed) return undefined
  const { scalars, texts } = enumOf(allowed)
  // A null that is allowed is not found, either: upstream compares no nulls.
  const found =
    typeof value === 'object'
      ? value !== null && allowed.some(one => typeof one === 'object' && one !== null && deepEqual(one, value))
      : hasScalar(scalars, value)
  if (found) return undefined
  return ValueResult.of({ kind: 'enum', name, value, isFloat, allowed, message: `${name} in body should be one of [${texts}]` })
}

/** As Go converts what it compares: a float to an integer loses its fraction, an integer is the text of its character. */
function hasScalar(scalars: ReadonlySet<Json>, value: Exclude<Json, object | null>): boolean {
  if (scalars.has(value)) return true
  if (typeof value !== 'number') return false
  return isGoInteger(value, false) ? scalars.has(characterOf(value)) : scalars.has(Math.trunc(value))
}

/** Go's conversion of an integer to a string. */
const characterOf = (code: number): string => (code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : '\ufffd')
