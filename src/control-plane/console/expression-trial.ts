import type { JsonObject } from '../../api/meta/object.ts'
import { compileInSteps } from '../../cel/compile.ts'
import { estimateCostInSteps } from '../../cel/cost/estimate.ts'
import { baseEnvironment, extend } from '../../cel/environment.ts'
import { celValueOf, nativeOf, ValueError } from '../../cel/package/native-values.ts'
import { makeProgramInSteps } from '../../cel/program/program.ts'
import { runProgram } from '../../cel/program/run.ts'
import { DYN, printType } from '../../cel/type.ts'
import { CelList, CelMap, CelOptional, type Value } from '../../cel/values/value.ts'
import { runInTurns } from '../../lib/steps.ts'
import { SHARED_TURNS } from '../../lib/turn.ts'
import { badRequestError } from '../../meta/status.ts'

/** Maximum length of an expression. */
const MOST_CHARACTERS = 10_000
/** Limit for the variables of an expression. */
const MOST_VARIABLES = 50
/** Longer results are not shown. */
const MOST_SHOWN = 100_000
/** Name of a variable: a CEL identifier of at most 101 characters. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,100}$/

/** Result of a trial. */
export interface ExpressionTrial {
  /** Compilation errors, as `kubectl apply` prints them. Excludes all other members. */
  readonly issues?: string
  /** Static type of the result. */
  readonly type?: string
  /** Bounds of the cost of any evaluation. Decimal strings, because they can exceed 53 bits. */
  readonly estimate?: { readonly min: string; readonly max: string }
  /** JSON, or a description of a value that JSON cannot express. */
  readonly value?: string
  /** Cost of the evaluation, also if it failed. */
  readonly cost?: number
  /** Error of the evaluation. Set instead of `value`. */
  readonly error?: string
}

/**
 * Compiles and evaluates an expression with variables of type dyn, under kube-apiserver's cost limit per call. Yields
 * to the event loop in between. Throws a StatusError if the input is too long. @param minor minor version of the
 * release that must support the expression.
 */
export async function tryExpression(
  expression: string,
  variables: JsonObject,
  minor: number,
  signal?: AbortSignal,
): Promise<ExpressionTrial> {
  const names = Object.keys(variables)
  if (expression.length > MOST_CHARACTERS) throw badRequestError(`expression: must have at most ${MOST_CHARACTERS} characters`)
  if (names.length > MOST_VARIABLES) throw badRequestError(`variables: must be at most ${MOST_VARIABLES}`)
  const odd = names.find(name => !NAME.test(name))
  if (odd !== undefined) throw badRequestError(`variables: ${JSON.stringify(odd.slice(0, 100))} is not a valid name`)
  const environment = extend(baseEnvironment(minor), Object.fromEntries(names.map(name => [name, DYN])))
  const { checked, issues } = await runInTurns(compileInSteps(expression, environment), signal)
  if (checked === undefined) return { issues: issues.toString() }
  const program = await runInTurns(makeProgramInSteps(checked, environment), signal)
  if ('fault' in program) return { issues: program.fault }
  const { min, max } = await runInTurns(
    estimateCostInSteps(checked, () => undefined),
    signal,
  )
  const about = { type: printType(checked.result), estimate: { min: String(min), max: String(max) } }
  const values = variableValues(variables)
  const { cost, value, error } = await runProgram(program, { get: name => values.get(name) }, SHARED_TURNS, {
    interrupted: () => signal?.aborted === true,
  })
  return error === undefined ? { ...about, cost, value: resultText(value) } : { ...about, cost, error }
}

/** Converts the variables to CEL values. Throws 400 if one cannot be converted. */
function variableValues(variables: JsonObject): ReadonlyMap<string, Value> {
  try {
    return new Map(Object.entries(variables).map(([name, value]) => [name, celValueOf(value, DYN, name)]))
  } catch (error) {
    if (error instanceof ValueError) throw badRequestError(error.message)
    throw error
  }
}

/**
 * Maximum number of values and characters in a result. A list can contain another list many times, so larger results
 * are not formatted.
 */
const MOST_PARTS = 200_000

/** Whether a value has at most `MOST_PARTS` parts. */
function isSmall(value: Value): boolean {
  let left = MOST_PARTS
  const fits = (one: Value): boolean => {
    left -= typeof one === 'string' || one instanceof Uint8Array ? 1 + one.length : 1
    if (left < 0) return false
    if (one instanceof CelOptional) return one.value === undefined || fits(one.value)
    if (one instanceof CelMap) {
      for (const [key, member] of one.entries()) if (!fits(key) || !fits(member)) return false
      return true
    }
    if (!(one instanceof CelList)) return true
    for (let i = 0; i < one.size; i++) if (!fits(one.at(i))) return false
    return true
  }
  return fits(value)
}

/** Prints the value as JSON, cut after MOST_SHOWN characters. */
function resultText(value: Value): string {
  if (!isSmall(value)) return 'too large to show'
  const text = JSON.stringify(nativeOf(value), replaced, 2) ?? 'optional.none()'
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}…`
}

/** Replaces values that JSON.stringify cannot print: integers, bytes and maps. */
function replaced(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return value instanceof Map ? [...value] : value
}
