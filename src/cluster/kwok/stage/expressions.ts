import { jsonValue } from '../../../cel/values/json.ts'
import { CelDouble, CelDuration, CelTimestamp, CelUint, isInt, type Value } from '../../../cel/values/value.ts'
import { parseDuration } from '../../../lib/duration.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { unlessThrown } from '../../../lib/unless-thrown.ts'
import { invalid } from '../../../meta/field-error.ts'
import { parseTime } from '../../../meta/time.ts'
import { type CelExpression, CelExpressionError, compileCel } from '../cel-expression.ts'
import type { FieldReader } from '../field-reader.ts'
import { JqSyntaxError } from '../jq/errors.ts'
import { compileQuery, type JqQuery } from '../jq/query.ts'
import type { JqValue } from '../jq/values.ts'
import { stageEnvironment } from './environment.ts'
import type { StageNumber, StageSubject } from './stage.ts'

/** Longest expression, in characters. */
const MAX_LENGTH = 4_000

/** Compiles a query, and reports an error at the field. Undefined if it is invalid. */
export function queryAt(reader: FieldReader, name: string, text: string): JqQuery | undefined {
  try {
    return compileQuery(text)
  } catch (error) {
    if (!(error instanceof JqSyntaxError)) throw error
    reader.report(invalid(reader.path.child(name), text, error.message))
    return undefined
  }
}

/** Compiles a CEL expression about `self`, and reports an error at the field. Undefined if it is invalid. */
export function celAt(reader: FieldReader, name: string, text: string): CelExpression | undefined {
  try {
    if (text.length > MAX_LENGTH) throw new CelExpressionError(`an expression may have at most ${MAX_LENGTH} characters`)
    return compileCel(text, stageEnvironment())
  } catch (error) {
    if (!(error instanceof CelExpressionError)) throw error
    reader.report(invalid(reader.path.child(name), text, `does not compile: ${errorMessage(error)}`))
    return undefined
  }
}

/** Evaluates an expression about an object. Throws CelExpressionError. */
export const evaluateAbout = (expression: CelExpression, { object }: StageSubject): Value =>
  expression.evaluate(new Map([['self', jsonValue(object)]]))

/**
 * Converts the result of an expression. Undefined if it has no value, so that the fixed value holds; null if it is
 * invalid.
 */
interface NumberForm {
  readonly fromQuery: (value: JqValue, subject: StageSubject) => number | undefined | null
  readonly fromCel: (value: Value, subject: StageSubject) => number
}

/** Reads `{jq, cel, expressionFrom}` into a source of numbers, with a fixed value for objects without one. */
export function numberFrom(reader: FieldReader | undefined, fixed: number | undefined, form: NumberForm): StageNumber {
  if (reader === undefined) return () => fixed
  const celReader = reader.object('cel')
  const jqReader = reader.object('jq')
  const celText = celReader?.requiredText('expression') ?? ''
  const jqText = jqReader?.requiredText('expression') ?? reader.text('expressionFrom') ?? ''
  for (const one of [celReader, jqReader, reader]) one?.rejectOthers()
  const cel = celReader && celText !== '' ? celAt(celReader, 'expression', celText) : undefined
  if (cel !== undefined) return subject => form.fromCel(evaluateAbout(cel, subject), subject)
  const query = jqText === '' ? undefined : queryAt(jqReader ?? reader, jqReader ? 'expression' : 'expressionFrom', jqText)
  if (query === undefined) return () => fixed
  return subject => {
    const [first] = query.run(subject.object, subject.now) ?? []
    if (first === undefined) return fixed
    const value = form.fromQuery(first, subject)
    return value === null ? undefined : (value ?? fixed)
  }
}

/**
 * Integers of weights: a number, or a text in Go's notation. Other texts are invalid. Source: kwok,
 * pkg/utils/lifecycle/value_int_from.go.
 */
export const INTEGER_FORM: NumberForm = {
  fromQuery(value) {
    if (typeof value === 'number') return Math.trunc(value)
    if (typeof value !== 'string') return undefined
    return /^[+-]?(?:0[xX][0-9a-fA-F]{1,13}|0[bB][01]{1,52}|0[oO]?[0-7]{1,17}|[0-9]{1,15})$/.test(value) ? integerOf(value) : null
  },
  fromCel(value) {
    if (typeof value === 'boolean') return value ? 1 : 0
    return Math.trunc(numberOf(value, 'an integer'))
  },
}

function integerOf(text: string): number {
  const digits = text.replace(/^[+-]/, '').replace(/^0(?=[0-7])/, '0o')
  return text.startsWith('-') ? -Number(digits) : Number(digits)
}

/**
 * Durations in milliseconds: a time, which counts from now, or a duration in Go's notation. Source: kwok,
 * pkg/utils/lifecycle/value_duration_from.go.
 */
export const DURATION_FORM: NumberForm = {
  fromQuery(value, { now }) {
    if (typeof value !== 'string') return undefined
    if (value === '') return null
    const instant = parseTime(value)
    if (instant !== undefined) return instant.seconds * 1000 + instant.nanos / 1e6 - now
    const nanos = unlessThrown(Error, () => parseDuration(value))
    return nanos === undefined ? undefined : Number(nanos) / 1e6
  },
  fromCel(value, { now }) {
    if (value instanceof CelTimestamp) return value.seconds * 1000 + value.nanos / 1e6 - now
    if (typeof value !== 'string') return Math.trunc(numberOf(value, 'a duration')) / 1e6
    try {
      return Number(parseDuration(value)) / 1e6
    } catch (error) {
      throw new CelExpressionError(errorMessage(error))
    }
  },
}

function numberOf(value: Value, expected: string): number {
  if (isInt(value)) return Number(value)
  if (value instanceof CelDuration) return Number(value.nanos)
  if (value instanceof CelDouble || value instanceof CelUint) return Number(value.value)
  throw new CelExpressionError(`the expression does not return ${expected}`)
}
