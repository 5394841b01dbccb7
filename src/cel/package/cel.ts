import type { Json } from '../../meta/object.ts'
import type { JsonSchemaProps } from '../../schema/json-schema/props.ts'
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

/** A structural OpenAPI v3 schema, as a CustomResourceDefinition has them. */
export type Schema = { readonly [member: string]: unknown }

/** What an expression may speak of. */
export interface CompileOptions {
  /** Types of the variables by their names: in CEL's notation (`string`, `list(int)`, `map(string, dyn)`, `timestamp`, `dyn`), or a schema. */
  readonly variables?: Readonly<Record<string, string | Schema>>
  /** The oldest release of Kubernetes, from 1.24 on, that has to understand the expression; it decides which functions there are. Default: `1.33`. */
  readonly release?: string
}

/** One thing that is wrong with an expression. */
export interface Issue {
  /** From 1; 0: the expression as a whole. */
  readonly line: number
  /** In code points, from 1. */
  readonly column: number
  readonly message: string
}

/** An expression that does not compile. The message has every issue with its place, as cel-go prints them. */
export class CompileError extends Error {
  override readonly name: string = 'CompileError'
  readonly issues: readonly Issue[]

  constructor(message: string, issues: readonly Issue[]) {
    super(message)
    this.issues = issues
  }
}

/** An evaluation that came to an error, or to the limit of what it may cost. The message is cel-go's. */
export class EvaluationError extends Error {
  override readonly name: string = 'EvaluationError'
  /** Of what was done. */
  readonly cost: number
  readonly isCostLimit: boolean

  constructor(message: string, cost: number, isCostLimit: boolean) {
    super(message)
    this.cost = cost
    this.isCostLimit = isCostLimit
  }
}

/** What an expression came to. */
export interface Evaluated {
  /**
   * An int or uint is a number, or a bigint where it is beyond 2^53; a timestamp is a Date, a duration the text of its seconds (`90s`), bytes are a Uint8Array, a list is an array, a map an
   * object, or a Map if not all its keys are strings. An optional is what it holds, or undefined. Types, quantities, addresses and networks are their texts.
   */
  readonly value: unknown
  /** In the units by which Kubernetes limits expressions. */
  readonly cost: number
}

/** An expression that has been compiled. It holds no state, and may be used as often as wanted. */
export interface Program {
  readonly expression: string
  /** In CEL's notation. */
  readonly resultType: string
  /** The least and the most that an evaluation may cost, by the sizes that schemas limit. What nothing limits makes the greatest number of 64 bits. */
  estimateCost(): { readonly min: bigint; readonly max: bigint }
  /** Throws EvaluationError, and TypeError for a variable whose value is not of its type. */
  evaluate(variables?: Readonly<Record<string, unknown>>, options?: { readonly costLimit?: number }): Evaluated
}

/**
 * Throws CompileError, and TypeError for a release or a schema that there is not.
 *
 * @example
 * const program = compile('object.spec.replicas <= params.max', { variables: { object: 'dyn', params: 'map(string, int)' } })
 * program.evaluate({ object: { spec: { replicas: 3 } }, params: { max: 5 } }) // { value: true, cost: 6 }
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

/** What is wrong with an expression; empty where nothing is. */
export function check(expression: string, options: CompileOptions = {}): readonly Issue[] {
  try {
    compile(expression, options)
    return []
  } catch (error) {
    if (error instanceof CompileError) return error.issues
    throw error
  }
}

/** Variables by their names, each with what makes a value for expressions of one of JavaScript. */
interface Scope {
  readonly environment: Environment
  readonly values: ReadonlyMap<string, (value: unknown) => Value>
  readonly schemas: ReadonlyMap<string, JsonSchemaProps>
}

function scopeOf({ variables = {}, release = '1.33' }: CompileOptions): Scope {
  const minor = /^1\.(\d{1,3})$/.exec(release)?.[1]
  if (minor === undefined || Number(minor) < 24) throw new TypeError(`${release} is no release from 1.24 on`)
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

/** Types whose values a program can give. Throws TypeError for a text that is none. */
function declaredType(text: string, name: string): Type {
  const type = parseType(text)
  if (printType(type) !== text || !isGiven(type)) throw new TypeError(`${name}: ${JSON.stringify(text)} is no type that a variable can be declared with`)
  return type
}

const isGiven = ({ kind, params }: Type): boolean =>
  kind === 'list'
    ? params.length === 1 && params.every(isGiven)
    : kind === 'map'
      ? params.length === 2 && params.every(isGiven)
      : ['bool', 'bytes', 'double', 'dyn', 'int', 'string', 'timestamp', 'uint'].includes(kind)

function programOf(expression: string, checked: Checked, program: Compiled, { values, schemas }: Scope): Program {
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
