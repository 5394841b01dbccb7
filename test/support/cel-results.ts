import { readFileSync } from 'node:fs'
import type { JsonSchemaProps } from '../../src/api/apiextensions/json-schema-props.ts'
import type { Json } from '../../src/api/meta/object.ts'
import { compile } from '../../src/cel/compile.ts'
import { baseEnvironment, extend } from '../../src/cel/environment.ts'
import { CidrValue, IpValue } from '../../src/cel/functions/addresses.ts'
import { QuantityValue } from '../../src/cel/functions/quantities.ts'
import { makeProgram, type ProgramOutcome } from '../../src/cel/program/program.ts'
import { declareTypes } from '../../src/cel/schema/declared-type.ts'
import { schemaValue } from '../../src/cel/schema/schema-value.ts'
import { timestampText } from '../../src/cel/values/time.ts'
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelType,
  CelUint,
  isInt,
  typeNameOf,
  type Value,
} from '../../src/cel/values/value.ts'
import { parseJson } from '../../src/codec/json.ts'
import { printIp } from '../../src/meta/ip.ts'

/** Result of cel-go for an expression, with its costs. */
export interface CelResult {
  readonly expression: string
  /** Value in the form of printResult. */
  readonly value?: string
  readonly error?: string
  readonly cost?: number
  /** Bounds of the estimated cost: decimal texts. */
  readonly min?: string
  readonly max?: string
  /** Why there is no program. */
  readonly fault?: string
}

/** Expressions about values of one schema. */
export interface CelResults {
  readonly schema: JsonSchemaProps
  readonly self: Json
  readonly oldSelf?: Json
  readonly results: readonly CelResult[]
}

const FILES = ['results.json', 'protobuf.json'].map(name => new URL(`../fixtures/cel/${name}`, import.meta.url))

/** All groups in test/fixtures/cel. */
export const readResults = (): CelResults[] => FILES.flatMap(file => parseJson(readFileSync(file)).value as unknown as CelResults[])

/** The environment in which the expressions of a group are compiled. */
export function resultsEnvironment(schema: JsonSchemaProps): ReturnType<typeof extend> {
  const { type, struct } = declareTypes(schema, false, 'selfType')
  return extend(baseEnvironment(33), { self: type!, oldSelf: type! }, struct)
}

/** Returns a function that evaluates the expressions of a group with our engine. */
export function evaluator({ schema, self, oldSelf }: CelResults): (expression: string) => ProgramOutcome | { readonly fault: string } {
  const environment = resultsEnvironment(schema)
  const activation = new Map([['self', schemaValue(self, schema)]])
  if (oldSelf !== undefined) activation.set('oldSelf', schemaValue(oldSelf, schema))
  return expression => {
    const { checked, issues } = compile(expression, environment)
    if (!checked) return { fault: `compilation failed: ${issues}` }
    const program = makeProgram(checked, environment)
    return 'fault' in program ? { fault: `program instantiation failed: ${program.fault}` } : program.evaluate(activation)
  }
}

function doubleBits(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes.toString('hex')
}

/** A value with its type, so that no two print alike. */
export function printResult(value: Value): string {
  if (isInt(value)) return String(value)
  if (typeof value === 'string')
    return JSON.stringify(value).replace(/[\u2028\u2029\u007f]/g, char =>
      char === '\u007f' ? char : `\\u${char.charCodeAt(0).toString(16)}`,
    )
  if (value instanceof CelUint) return `${value.value}u`
  if (value instanceof CelDouble) return doubleBits(value.value)
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('hex')}`
  if (value instanceof CelTimestamp) return `time ${timestampText(value)}`
  if (value instanceof CelDuration) return `duration ${value.nanos}`
  if (value instanceof CelOptional) return value.value === undefined ? 'none' : `some ${printResult(value.value)}`
  if (value instanceof CelList) return `[${Array.from({ length: value.size }, (_, i) => printResult(value.at(i))).join(' ')}]`
  if (value instanceof CelMap) return `{${printEntries(value)}}`
  if (value instanceof CelType) return `type ${value.name}`
  if (value instanceof QuantityValue) return `quantity ${value.quantity.canonical}`
  if (value instanceof IpValue) return `ip ${printIp(value.address)}`
  if (value instanceof CidrValue) return `cidr ${printIp(value.prefix.address)}/${value.prefix.bits}`
  return value === null || typeof value === 'boolean' ? String(value) : typeNameOf(value)
}

const printEntries = (map: CelMap): string =>
  Array.from(map.keys(), key => `${printResult(key)}=${printResult(map.find(key)!)}`)
    .sort()
    .join(' ')
