import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { formatDouble } from '../../lib/format-double.ts'
import { MIN_INT64 } from '../../lib/integer.ts'
import { isGoInteger } from '../../meta/whole-floats.ts'
import { isJsonInteger } from './json-integer.ts'
import { type ValueFault, ValueResult } from './value-result.ts'
import type { ValueRules } from './value-rules.ts'

type JsonNumber = number | bigint

/** A number, and how Go converts the bounds that it is compared with: for an integer, their fractions are dropped. */
interface CheckedNumber {
  readonly value: JsonNumber
  readonly isFloat: boolean
  readonly name: string
  readonly bound: (demand: JsonNumber) => JsonNumber
}

/**
 * Checks a number against the range of its format, if the release does, and the bounds of its schema. `isFloat`:
 * whether a whole number is a float in Go.
 */
export function checkNumber(value: JsonNumber, schema: JsonSchemaProps, name: string, isFloat: boolean, rules: ValueRules): ValueResult {
  const result = new ValueResult()
  const { multipleOf, maximum, minimum } = schema
  const subject: CheckedNumber = { value, isFloat, name, bound: isGoInteger(value, isFloat) ? toInt64 : Number }
  const add = (fault: ValueFault | undefined): void => {
    if (fault) result.add(fault)
  }
  const outOfRange = (number: JsonNumber, what: string): ValueFault | undefined =>
    rules.checksRanges ? rangeFault(number, schema, `${what} value`, name) : undefined
  /** Returns the number as it is compared with a bound. If the bound is out of range, both are floats. */
  const against = (bound: JsonNumber, what: string): CheckedNumber => {
    const fault = outOfRange(bound, what)
    add(fault)
    return fault ? { value: Number(value), isFloat: true, name, bound: Number } : subject
  }
  add(outOfRange(value, 'Checked'))
  if (multipleOf !== undefined) add(multipleFault(against(multipleOf, 'MultipleOf'), multipleOf, rules))
  if (maximum !== undefined) {
    const compared = against(maximum, 'Maximum boundary')
    const exclusive = schema.exclusiveMaximum === true
    const bound = compared.bound(maximum)
    if (exclusive ? value >= bound : value > bound)
      add(fault(compared, `should be less than ${exclusive ? '' : 'or equal to '}${print(compared, bound)}`))
  }
  if (minimum !== undefined) {
    const compared = against(minimum, 'Minimum boundary')
    const exclusive = schema.exclusiveMinimum === true
    const bound = compared.bound(minimum)
    if (exclusive ? value <= bound : value < bound)
      add(fault(compared, `should be greater than ${exclusive ? '' : 'or equal to '}${print(compared, bound)}`))
  }
  return result.count()
}

const FORMATS: Readonly<Record<string, readonly string[]>> = { integer: ['int32', 'int64'], number: ['float', 'double'] }

/** Reports whether numbers of a type have a format. */
export const isNumberFormat = (format: string, type: string): boolean => FORMATS[type]?.includes(format) === true

const INT32 = 2 ** 31

/**
 * Returns the fault of a number that does not fit the type and format of its schema. An integer without a known format
 * must fit an int64.
 */
function rangeFault(
  number: JsonNumber,
  { type = '', format: stated = '' }: JsonSchemaProps,
  what: string,
  name: string,
): ValueFault | undefined {
  const format = isNumberFormat(stated, type) ? stated : undefined
  const fits =
    type === 'integer'
      ? isIntegerOf(format, number)
      : type !== 'number' || format !== 'float' || Number.isFinite(Math.fround(Number(number)))
  if (fits) return undefined
  return {
    kind: 'plain',
    name: '',
    message: `${what} must be of type ${type} ${format === undefined ? '(default format)' : `with format ${format}`} in ${name}`,
  }
}

function isIntegerOf(format: string | undefined, number: JsonNumber): boolean {
  if (typeof number === 'number' && !Number.isInteger(number)) return false
  if (format === 'int32') return number >= -INT32 && number < INT32
  const exact = typeof number === 'bigint' ? number : shortestInteger(number)
  return exact !== undefined && BigInt.asIntN(64, exact) === exact
}

/**
 * Returns the integer that Go reads from the text of a whole float, with its shortest digits and zeros: -2^63 is
 * -9223372036854776000. Undefined above 1e21, where the text has an exponent.
 */
const shortestInteger = (number: number): bigint | undefined => (Math.abs(number) < 1e21 ? BigInt(String(number)) : undefined)

/** Converts a float to int64 like an x86 processor: to the least integer if it is out of range. */
function toInt64(demand: JsonNumber): JsonNumber {
  const whole = Math.trunc(Number(demand))
  if (Number.isSafeInteger(whole)) return whole
  const exact = Number.isFinite(whole) ? BigInt(whole) : MIN_INT64
  return BigInt.asIntN(64, exact) === exact ? exact : MIN_INT64
}

/** Formats a bound like Go, as an integer or a float. */
const print = ({ value, isFloat }: CheckedNumber, bound: JsonNumber): string =>
  isGoInteger(value, isFloat) ? String(bound) : formatDouble(Number(bound))

const fault = ({ value, isFloat, name }: CheckedNumber, text: string): ValueFault => ({
  kind: 'other',
  name,
  value,
  isFloat,
  message: `${name} in body ${text}`,
})

/** A factor that is not positive is an error of the schema, but is reported for the value. */
function multipleFault(subject: CheckedNumber, multipleOf: number, rules: ValueRules): ValueFault | undefined {
  const { name } = subject
  const factor = subject.bound(multipleOf)
  if (factor <= 0)
    return {
      kind: 'other',
      name,
      value: factor,
      message: `factor MultipleOf declared for ${name} must be positive: ${print(subject, factor)}`,
    }
  return isMultiple(subject, factor, rules) ? undefined : fault(subject, `should be a multiple of ${print(subject, factor)}`)
}

/** Integers are divided exactly, floats by floating-point division. */
function isMultiple({ value, isFloat }: CheckedNumber, factor: JsonNumber, rules: ValueRules): boolean {
  if (isGoInteger(value, isFloat))
    return typeof value === 'bigint' || typeof factor === 'bigint' ? BigInt(value) % BigInt(factor) === 0n : value % factor === 0
  const [float, by] = [Number(value), Number(factor)]
  return isJsonInteger(by < 1 ? (1 / by) * float : float / by, rules)
}
