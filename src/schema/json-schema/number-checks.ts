import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { formatDouble } from '../../lib/format-double.ts'
import { MIN_INT64 } from '../../lib/integer.ts'
import { isGoInteger } from '../../meta/whole-floats.ts'
import { isJsonInteger } from './json-integer.ts'
import { type ValueFault, ValueResult } from './value-result.ts'

type JsonNumber = number | bigint

/** A number, and how Go converts the bounds that it is compared with: for an integer, their fractions are dropped. */
interface CheckedNumber {
  readonly value: JsonNumber
  readonly isFloat: boolean
  readonly name: string
  readonly bound: (demand: JsonNumber) => JsonNumber
}

/** Checks a number against the bounds of its schema. Formats are not checked in release 1.33. `isFloat`: whether a whole number is a float in Go. */
export function checkNumber(value: JsonNumber, schema: JsonSchemaProps, name: string, isFloat: boolean): ValueResult {
  const result = new ValueResult()
  const { multipleOf, maximum, minimum } = schema
  const subject: CheckedNumber = { value, isFloat, name, bound: isGoInteger(value, isFloat) ? toInt64 : Number }
  const add = (fault: ValueFault | undefined): void => {
    if (fault) result.add(fault)
  }
  if (multipleOf !== undefined) add(multipleFault(subject, multipleOf))
  if (maximum !== undefined) {
    const exclusive = schema.exclusiveMaximum === true
    const bound = subject.bound(maximum)
    if (exclusive ? value >= bound : value > bound) add(fault(subject, `should be less than ${exclusive ? '' : 'or equal to '}${print(subject, bound)}`))
  }
  if (minimum !== undefined) {
    const exclusive = schema.exclusiveMinimum === true
    const bound = subject.bound(minimum)
    if (exclusive ? value <= bound : value < bound) add(fault(subject, `should be greater than ${exclusive ? '' : 'or equal to '}${print(subject, bound)}`))
  }
  return result.count()
}

/** Converts a float to int64 like an x86 processor: to the least integer if it is out of range. */
function toInt64(demand: JsonNumber): JsonNumber {
  const whole = Math.trunc(Number(demand))
  if (Number.isSafeInteger(whole)) return whole
  const exact = Number.isFinite(whole) ? BigInt(whole) : MIN_INT64
  return BigInt.asIntN(64, exact) === exact ? exact : MIN_INT64
}

/** Formats a bound like Go, as an integer or a float. */
const print = ({ value, isFloat }: CheckedNumber, bound: JsonNumber): string => (isGoInteger(value, isFloat) ? String(bound) : formatDouble(Number(bound)))

const fault = ({ value, isFloat, name }: CheckedNumber, text: string): ValueFault => ({
  kind: 'other',
  name,
  value,
  isFloat,
  message: `${name} in body ${text}`,
})

/** A factor that is not positive is an error of the schema, but is reported for the value. */
function multipleFault(subject: CheckedNumber, multipleOf: number): ValueFault | undefined {
  const { name } = subject
  const factor = subject.bound(multipleOf)
  if (factor <= 0) return { kind: 'other', name, value: factor, message: `factor MultipleOf declared for ${name} must be positive: ${print(subject, factor)}` }
  return isMultiple(subject, factor) ? undefined : fault(subject, `should be a multiple of ${print(subject, factor)}`)
}

/** Integers are divided exactly, floats by floating-point division. */
function isMultiple({ value, isFloat }: CheckedNumber, factor: JsonNumber): boolean {
  if (isGoInteger(value, isFloat)) return typeof value === 'bigint' || typeof factor === 'bigint' ? BigInt(value) % BigInt(factor) === 0n : value % factor === 0
  const [float, by] = [Number(value), Number(factor)]
  return isJsonInteger(by < 1 ? (1 / by) * float : float / by)
}
