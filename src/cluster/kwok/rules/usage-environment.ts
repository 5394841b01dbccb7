import { objectIn } from '../../../api/meta/object.ts'
import { parseDeclarations } from '../../../cel/declarations.ts'
import { type Environment, extend, withLibrary } from '../../../cel/environment.ts'
import type { Implementation } from '../../../cel/functions/implementation.ts'
import { parseType } from '../../../cel/type.ts'
import { documentOf } from '../../../cel/values/json.ts'
import { CelDouble, CelError, CelTimestamp, type Value } from '../../../cel/values/value.ts'
import { unlessThrown } from '../../../lib/unless-thrown.ts'
import { parseQuantity, QuantityError } from '../../../meta/quantity.ts'
import { timeMillis } from '../../../meta/time.ts'
import { CEL_BASE } from '../cel-expression.ts'

/** Time and randomness of expressions about usage. */
export interface UsageSource {
  /** Returns milliseconds since the epoch. */
  now(): number
  /** Returns a number from 0 to 1, exclusive. */
  random(): number
}

/** Functions of kwok. Amounts are doubles. Source: kwok, pkg/utils/cel. */
const FUNCTIONS = parseDeclarations(`
  kwok_now: Now() -> timestamp
  kwok_rand: Rand() -> double
  kwok_quantity: Quantity(string) -> double
  kwok_unix_second: UnixSecond(timestamp) -> double
  kwok_unix_second_of: .UnixSecond(timestamp) -> double
  kwok_since_second: SinceSecond(dyn) -> double
  kwok_since_second_of: .SinceSecond(dyn) -> double
`)

/**
 * Returns the environment of expressions about the usage of a container: the variables `node`, `pod` and `container`,
 * and functions of kwok.
 */
export function usageEnvironment({ now, random }: UsageSource): Environment {
  const sinceSecond: Implementation = (object = null) => {
    const created = timeMillis(textAt(objectIn(objectIn(documentOf(object)).metadata).creationTimestamp))
    return created === undefined ? new CelError('the object has no creationTimestamp') : new CelDouble((now() - created) / 1000)
  }
  const unixSecond: Implementation = time =>
    time instanceof CelTimestamp ? new CelDouble(time.seconds + time.nanos / 1e9) : new CelError('not a timestamp')
  const implementations = new Map<string, Implementation>([
    ['kwok_now', () => timestampOf(now())],
    ['kwok_rand', () => new CelDouble(random())],
    ['kwok_quantity', quantityOf],
    ['kwok_unix_second', unixSecond],
    ['kwok_unix_second_of', unixSecond],
    ['kwok_since_second', sinceSecond],
    ['kwok_since_second_of', sinceSecond],
  ])
  const dyn = parseType('dyn')
  return { ...extend(withLibrary(CEL_BASE, FUNCTIONS, new Map()), { node: dyn, pod: dyn, container: dyn }), implementations }
}

const textAt = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function timestampOf(millis: number): CelTimestamp {
  const seconds = Math.floor(millis / 1000)
  return new CelTimestamp(seconds, Math.round((millis - seconds * 1000) * 1e6))
}

function quantityOf(text: Value = null): Value {
  const amount = typeof text === 'string' ? amountOf(text) : undefined
  return amount === undefined
    ? new CelError(`invalid quantity: ${typeof text === 'string' ? JSON.stringify(text.slice(0, 100)) : 'not a string'}`)
    : new CelDouble(amount)
}

/** Returns a quantity as a number, rounded to a double. Undefined if the text is not a quantity. */
export function amountOf(text: string): number | undefined {
  const quantity = unlessThrown(QuantityError, () => parseQuantity(text))
  return quantity && Number(`${quantity.value}e${quantity.scale}`)
}
