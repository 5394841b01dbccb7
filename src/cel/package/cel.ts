import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import type { Json } from '../../api/meta/object.ts'
import type { Checked } from '../checked.ts'
import { compile as compileExpression } from '../compile.ts'
import { estimateCost } from '../cost/estimate.ts'
import { baseEnvironment, type Environment, extend } from '../environment.ts'
import { type Program as Compiled, makeProgram, PER_CALL_LIMIT } from '../program/program.ts'
import { declareTypes } from '../schema/declared-type.ts'
import { schemaValue } from '../schema/schema-value.ts'
import { sizedType, sizesOf } from '../schema/sizes.ts'
import { parseType, printType, type Type } from '../type.ts'
import type { Value } from '../values/value.ts'
import { celValueOf, nativeOf } from './native-values.ts'

/** A structural OpenAPI v3 schema, as in a CustomResourceDefinition. */
export type Schema = { readonly [member: string]: unknown }

/** Variables and release of an expression. */
export interface CompileOptions {
  /**
   * Optional. Types of the variables by name: in CEL's notation (`string`, `list(int)`, `map(string, dyn)`,
   * `timestamp`, `dyn`), or a schema.
   */
  readonly variables?: Readonly<Record<string, string | Schema>>
  /**
   * Optional. Oldest release of Kubernetes, 1.24 or later, that must be able to run the expression. It decides which
   * functions are available. Default: `1.33`.
   */
  readonly release?: string
}

/** An error in an expression. */
export interface Issue {
  /** Line from 1, or 0 if the error concerns the whole expression. */
  readonly line: number
  /** Column from 1, in code points. */
  readonly column: number
  readonly message: string
}

/** Thrown if an expression does not compile. The message lists every issue with its position, as cel-go prints them. */
export class CompileError extends Error {
  override readonly name: string = 'CompileError'
  readonly issues: readonly Issue[]

  constructor(message: string, issues: readonly Issue[]) {
    super(message)
    this.issues = issues
  }
}

/** Thrown if an evaluation fails or exceeds its cost limit. The message is cel-go's. */
export class EvaluationError extends Error {
  override readonly name: string = 'EvaluationError'
  /** Cost of the evaluation until it failed. */
  readonly cost: number
  readonly isCostLimit: boolean

  constructor(message: string, cost: number, isCostLimit: boolean) {
    super(message)
    this.cost = cost
    this.isCostLimit = isCostLimit
  }
}

/** Result of an evaluation. */
export interface Evaluated {
  /**
   * An int or uint is a number, or a bigint beyond 2^53; a timestamp is a Date; a duration is a text in seconds
   * (`90s`); bytes are a Uint8Array; a list is an array; a map is an object, or a Map if not all its keys are strings.
   * An optional is its value, or undefined. Types, quantities, addresses and networks are texts.
   */
  readonly value: unknown
  /** Cost in the units of Kubernetes' limits. */
  readonly cost: number
}

/** A compiled expression. It holds no state and can be evaluated any number of times. */
export interface Program {
  readonly expression: string
  /** Type of the result in CEL's notation. */
  readonly resultType: string
  /**
   * Estimates the minimum and maximum cost of an evaluation from the size limits of the schemas. Without limits, the
   * maximum is the greatest 64-bit number.
   */
  estimateCost(): { readonly min: bigint; readonly max: bigint }
  /**
   * Evaluates the expression. Throws EvaluationError, and TypeError if the value of a variable does not have its type.
   */
  evaluate(variables?: Readonly<Record<string, unknown>>, options?: { readonly costLimit?: number }): Evaluated
}

/**
 * Compiles an expression. Throws CompileError, and TypeError if the release is unknown or a schema or type is invalid.
 *
 * @example
 * const program = compile('object.spec.replicas <= params.max', { variables: { object: 'dyn', params: 'map(string,
 * int)' } }) program.evaluate({ object: { spec: { replicas: 3 } }, params: { max: 5 } }) // { value: true, cost: 6 }
 */
export function compile(expression: string, options: CompileOptions = {}): Program {
  const scope = scopeOf(options)
  const { checked, issues } = compileExpression(expression, scope.environment)
  if (checked === undefined)
    throw new CompileError(
      issues.toString(),
      issues.all.map(({ location: { line, column }, message }) => ({ line: Math.max(line, 0), column: column + 1, message })),
    )
  const program = makeProgram(checked, scope.environment)
  if ('fault' in program) throw new CompileError(program.fault, [{ line: 0, column: 0, message: program.fault }])
  return programOf(expression, checked, program, scope)
}

/** Returns the errors of an expression. Empty if it compiles. */
export function check(expression: string, options: CompileOptions = {}): readonly Issue[] {
  try {
    compile(expression, options)
    return []
  } catch (error) {
    if (error instanceof CompileError) return error.issues
    throw error
  }
}

/** Declarations of the variables, and the conversions of their values. */
interface CompileScope {
  readonly environment: Environment
  readonly values: ReadonlyMap<string, (value: unknown) => Value>
  readonly schemas: ReadonlyMap<string, JsonSchemaProps>
}

/**
 * Throws TypeError for a release before 1.24 and for a schema whose values expressions cannot see (no type declared).
 */
function scopeOf({ variables = {}, release = '1.33' }: CompileOptions): CompileScope {
  const minor = /^1\.(\d{1,3})$/.exec(release)?.[1]
  if (minor === undefined || Number(minor) < 24) throw new TypeError(`${release} is not a release from 1.24 on`)
  const types: [string, Type][] = []
  const values = new Map<string, (value: unknown) => Value>()
  const schemas = new Map<string, JsonSchemaProps>()
  const structs: Environment['struct'][] = []
  for (const [name, given] of Object.entries(variables)) {
    if (typeof given === 'string') {
      const type = declaredType(given, name)
      types.push([name, type])
      values.set(name, value => celValueOf(value, type, name))
      continue
    }
    const schema = given as JsonSchemaProps
    const { type, struct } = declareTypes(schema, false, `${name}Type`)
    if (type === undefined) throw new TypeError(`${name}: expressions can not see values of this schema`)
    types.push([name, type])
    structs.push(struct)
    schemas.set(name, schema)
    values.set(name, value => schemaValue(value as Json, schema))
  }
  const struct = (name: string) => structs.map(find => find(name)).find(found => found !== undefined)
  return { environment: extend(baseEnvironment(Number(minor)), Object.fromEntries(types), struct), values, schemas }
}

/** Parses the type of a variable. Throws TypeError if the text is not a type that variables can have. */
function declaredType(text: string, name: string): Type {
  const type = parseType(text)
  if (printType(type) !== text || !isGiven(type)) throw new TypeError(`${name}: ${JSON.stringify(text)} is not a valid type of a variable`)
  return type
}

const isGiven = ({ kind, params }: Type): boolean =>
  kind === 'list'
    ? params.length === 1 && params.every(isGiven)
    : kind === 'map'
      ? params.length === 2 && params.every(isGiven)
      : ['bool', 'bytes', 'double', 'dyn', 'int', 'string', 'timestamp', 'uint'].includes(kind)

/**
 * Variables without a value are absent: an expression that reads one fails. Values of names that were not declared are
 * ignored.
 */
function programOf(expression: string, checked: Checked, program: Compiled, { values, schemas }: CompileScope): Program {
  return {
    expression,
    resultType: printType(checked.result),
    estimateCost() {
      const { min, max } = estimateCost(checked, path => {
        const schema = schemas.get(path[0] ?? '')
        const sized = schema && sizedType(schema, false)
        return sized && sizesOf(sized)(path)
      })
      return { min, max }
    },
    evaluate(variables = {}, { costLimit = PER_CALL_LIMIT } = {}) {
      const activation = new Map<string, Value>()
      for (const [name, value] of Object.entries(variables)) {
        const make = values.get(name)
        if (make !== undefined && value !== undefined) activation.set(name, make(value))
      }
      const outcome = program.evaluate(activation, { limit: costLimit })
      if (outcome.error !== undefined) throw new EvaluationError(outcome.error, outcome.cost, outcome.isLimit)
      return { value: nativeOf(outcome.value), cost: outcome.cost }
    },
  }
}
