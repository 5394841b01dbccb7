import type { Json, JsonObject } from '../../../api/meta/object.ts'
import { objectIn } from '../../../api/meta/object.ts'
import type { Environment } from '../../../cel/environment.ts'
import { jsonValue } from '../../../cel/values/json.ts'
import { CelDouble, CelDuration, CelUint, isInt, type Value } from '../../../cel/values/value.ts'
import type { Steps } from '../../../lib/steps.ts'
import { invalid, invalidStructure } from '../../../meta/field-error.ts'
import { CelExpressionError } from '../cel-expression.ts'
import type { FieldReader } from '../field-reader.ts'
import { decodePodRules } from './decode-rules.ts'
import { expressionAt } from './expression-member.ts'
import type { ContainerRule, PodRules } from './pod-rules.ts'
import { amountOf } from './usage-environment.ts'

/** Container whose usage is evaluated, with its pod and node. */
export interface UsageSubject {
  readonly node: JsonObject
  readonly pod: JsonObject
  readonly container: JsonObject
}

/** Returns what a container uses of a resource: cores, or bytes. Throws CelExpressionError. */
export type Usage = (subject: UsageSubject) => number

/** Usage of containers by the name of the resource: `cpu`, `memory`. */
export interface UsageRule extends ContainerRule {
  readonly usage: ReadonlyMap<string, Usage>
}

/** Decodes ResourceUsage or ClusterResourceUsage, in steps of one expression. Throws KwokObjectError. */
export const decodeResourceUsage = (object: Json, environment: Environment): Steps<PodRules<UsageRule>> =>
  decodePodRules(object, ['ResourceUsage', 'ClusterResourceUsage'], 'usages', function* (reader): Steps<UsageRule> {
    const values = reader.object('usage')
    const usage = new Map<string, Usage>()
    for (const name of values?.names() ?? []) {
      yield
      usage.set(name, containerUsage(values?.object(name), environment))
    }
    return { containers: reader.texts('containers'), usage }
  })

/** Reads a fixed quantity, or an expression. The quantity takes precedence, as in kwok. */
function containerUsage(reader: FieldReader | undefined, environment: Environment): Usage {
  if (reader === undefined) return () => 0
  const fixed = reader.has('value') ? fixedAmount(reader) : undefined
  const expression = reader.has('expression') ? expressionAt(reader, 'expression', environment) : undefined
  if (!reader.has('value') && !reader.has('expression')) reader.report(invalidStructure(reader.path, 'must have a value or an expression'))
  reader.rejectOthers()
  if (fixed !== undefined) return () => fixed
  return subject => (expression === undefined ? 0 : usageAmount(expression.evaluate(variablesOf(subject))))
}

function fixedAmount(reader: FieldReader): number | undefined {
  const text = reader.text('value')
  const amount = text === undefined ? undefined : amountOf(text)
  if (text !== undefined && amount === undefined) reader.report(invalid(reader.path.child('value'), text, 'must be a quantity'))
  return amount
}

/** Returns the variables of expressions. A variable that the subject lacks is null. */
export const variablesOf = ({ node, pod, container }: Pick<UsageSubject, 'node'> & Partial<UsageSubject>): Map<string, Value> =>
  new Map([
    ['node', jsonValue(withMaps(node))],
    ['pod', pod ? jsonValue(withMaps(pod)) : null],
    ['container', container ? jsonValue(container) : null],
  ])

/** Adds empty labels and annotations, which expressions read as if every object had them. */
function withMaps(object: JsonObject): JsonObject {
  return { ...object, metadata: { labels: {}, annotations: {}, ...objectIn(object.metadata) } }
}

/** Converts the result of an expression. Source: kwok, pkg/utils/cel/environment.go. */
export function usageAmount(value: Value): number {
  if (isInt(value)) return Number(value)
  if (value instanceof CelDouble || value instanceof CelUint) return Number(value.value)
  if (value instanceof CelDuration) return Number(value.nanos)
  if (typeof value === 'boolean') return value ? 1 : 0
  throw new CelExpressionError('the expression does not return a number')
}
