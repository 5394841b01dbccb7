import type { JsonSchemaProps } from './props.ts'
import { type ValueFault, ValueResult } from './value-result.ts'

type JsonNumber = number | bigint

/** What is wrong with a number by the demands of its schema. Formats bound nothing in release 1.33. */
export function checkNumber(value: JsonNumber, schema: JsonSchemaProps, name: string): ValueResult {
  const result = new ValueResult()
  const { multipleOf, maximum, minimum } = schema
  const add = (fault: ValueFault | undefined): void => {
    if (fault) result.add(fault)
  }
  if (multipleOf !== undefined) add(multipleFault(value, multipleOf, name))
  if (maximum !== undefined) {
    const exclusive = schema.exclusiveMaximum === true
    const bound = isInteger(value) ? Math.trunc(maximum) : maximum
    if (exclusive ? value >= bound : value > bound) add(fault(value, `should be less than ${exclusive ? '' : 'or equal to '}${bound}`, name))
  }
  if (minimum !== undefined) {
    const exclusive = schema.exclusiveMinimum === true
    const bound = isInteger(value) ? Math.trunc(minimum) : minimum
    if (exclusive ? value <= bound : value < bound) add(fault(value, `should be greater than ${exclusive ? '' : 'or equal to '}${bound}`, name))
  }
  return result.count()
}

const isInteger = (value: JsonNumber): boolean => typeof value === 'bigint' || Number.isInteger(value)

const fault = (value: JsonNumber, text: string, name: string): ValueFault => ({ kind: 'other', name, value, message: `${name} in body ${text}` })

function multipleFault(value: JsonNumber, multipleOf: number, name: string): ValueFault | undefined {
  const factor = isInteger(value) ? Math.trunc(multipleOf) : multipleOf
  if (factor <= 0) return { kind: 'other', name, value: factor, message: `factor MultipleOf declared for ${name} must be positive: ${factor}` }
  const whole =
    typeof value === 'bigint'
      ? value % BigInt(factor) === 0n
      : isInteger(value)
        ? value % factor === 0
        : isWhole(factor < 1 ? (1 / factor) * value : value / factor)
  return whole ? undefined : fault(value, `should be a multiple of ${factor}`, name)
}

/** Whether a quotient is an integer but for the errors of floating point. */
function isWhole(quotient: number): boolean {
  const distance = Math.abs(quotient - Math.round(quotient))
  return Number.isFinite(quotient) && (distance === 0 || distance / Math.max(1, Math.abs(quotient)) < 1e-9)
}
