import type { Json } from '../../../api/meta/object.ts'
import type { Environment } from '../../../cel/environment.ts'
import type { Value } from '../../../cel/values/value.ts'
import type { Steps } from '../../../lib/steps.ts'
import { duplicate, invalid, required } from '../../../meta/field-error.ts'
import { CelExpressionError } from '../cel-expression.ts'
import type { FieldReader } from '../field-reader.ts'
import { decodeInSteps } from '../object-reader.ts'
import { expressionAt } from './expression-member.ts'
import { type UsageSubject, usageAmount, variablesOf } from './usage.ts'

const KINDS = ['counter', 'gauge', 'histogram'] as const
export type MetricKind = (typeof KINDS)[number]

const DIMENSIONS = ['node', 'pod', 'container'] as const
/** Objects of which each has its own value. */
export type MetricDimension = (typeof DIMENSIONS)[number]

/** Subject of an evaluation. Members that the dimension does not have are undefined. */
export type MetricSubject = Pick<UsageSubject, 'node'> & Partial<UsageSubject>

/** A bucket of a histogram. */
export interface MetricBucket {
  readonly le: number
  /** Whether its observations only count in the next bucket that is shown. */
  readonly hidden: boolean
  /** Returns the number of observations. Throws CelExpressionError. */
  value(subject: MetricSubject): number
}

/** A metric of a page. */
export interface MetricRule {
  readonly name: string
  readonly help: string
  readonly kind: MetricKind
  readonly dimension: MetricDimension
  /** Labels by name. Each throws CelExpressionError. */
  readonly labels: ReadonlyMap<string, (subject: MetricSubject) => string>
  /** Returns the value. 0 for a histogram. Throws CelExpressionError. */
  value(subject: MetricSubject): number
  /** Buckets of a histogram in ascending order. */
  readonly buckets: readonly MetricBucket[]
}

/** A page of metrics. */
export interface MetricPage {
  readonly name: string
  /** Parts of the path. A part in braces matches any: `{nodeName}` is the name of the node. */
  readonly path: readonly string[]
  readonly metrics: readonly MetricRule[]
}

const ROOT = '/metrics/'
const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/

/** Decodes a Metric, in steps of one expression. Throws KwokObjectError. */
export const decodeMetric = (object: Json, environment: Environment): Steps<MetricPage> =>
  decodeInSteps(object, ['Metric'], function* (spec, { name }) {
    const path = spec.requiredText('path')
    if (path !== '' && !path.startsWith(ROOT)) spec.report(invalid(spec.path.child('path'), path, `must begin with ${ROOT}`))
    const metrics: MetricRule[] = []
    for (const reader of spec.objects('metrics')) metrics.push(yield* metricRule(reader, environment))
    if (!spec.has('metrics')) spec.report(required(spec.path.child('metrics')))
    reportClashes(metrics, spec)
    spec.rejectOthers()
    return { name, path: path.split('/').slice(1), metrics }
  })

/** All metrics of a name are of one kind, and have one help. */
function reportClashes(metrics: readonly MetricRule[], spec: FieldReader): void {
  const first = new Map<string, MetricRule>()
  for (const [i, metric] of metrics.entries()) {
    const other = first.get(metric.name)
    if (other === undefined) first.set(metric.name, metric)
    else if (other.kind !== metric.kind || other.help !== metric.help)
      spec.report(duplicate(spec.path.child('metrics').index(i).child('name'), metric.name))
  }
}

function* metricRule(reader: FieldReader, environment: Environment): Steps<MetricRule> {
  const name = validName(reader, METRIC_NAME)
  const kind = reader.oneOf('kind', KINDS)
  if (!reader.has('kind')) reader.report(required(reader.path.child('kind')))
  const isHistogram = kind === 'histogram'
  const rule = {
    name,
    help: reader.text('help') ?? '',
    kind: kind ?? 'gauge',
    dimension: reader.oneOf('dimension', DIMENSIONS) ?? 'node',
    labels: yield* labelsOf(reader, environment),
    value: isHistogram ? () => 0 : yield* amountAt(reader, environment),
    buckets: yield* bucketsOf(reader, environment),
  }
  if (isHistogram && reader.has('value')) reader.text('value')
  reader.rejectOthers()
  return rule
}

function* labelsOf(reader: FieldReader, environment: Environment): Steps<MetricRule['labels']> {
  const labels = new Map<string, (subject: MetricSubject) => string>()
  for (const label of reader.objects('labels')) {
    yield
    const name = validName(label, LABEL_NAME)
    const expression = expressionAt(label, 'value', environment)
    label.rejectOthers()
    labels.set(name, subject => textOf(expression?.evaluate(variablesOf(subject)) ?? ''))
  }
  return labels
}

function* bucketsOf(reader: FieldReader, environment: Environment): Steps<MetricBucket[]> {
  const buckets: MetricBucket[] = []
  for (const bucket of reader.objects('buckets')) {
    const le = bucket.number('le')
    if (le === undefined) bucket.report(required(bucket.path.child('le')))
    else if (le < 0) bucket.report(invalid(bucket.path.child('le'), le, 'must be greater than or equal to 0'))
    buckets.push({ le: le ?? 0, hidden: bucket.flag('hidden'), value: yield* amountAt(bucket, environment) })
    bucket.rejectOthers()
  }
  return buckets.sort((a, b) => a.le - b.le)
}

/** Compiles the expression of a value, in a step of its own. */
function* amountAt(reader: FieldReader, environment: Environment): Steps<(subject: MetricSubject) => number> {
  yield
  const expression = expressionAt(reader, 'value', environment)
  return subject => (expression === undefined ? 0 : usageAmount(expression.evaluate(variablesOf(subject))))
}

function validName(reader: FieldReader, form: RegExp): string {
  const name = reader.requiredText('name')
  if (name !== '' && !form.test(name)) reader.report(invalid(reader.path.child('name'), name, `must match ${form.source}`))
  return name
}

function textOf(value: Value): string {
  if (typeof value === 'string') return value
  throw new CelExpressionError('the expression of a label does not return a string')
}
