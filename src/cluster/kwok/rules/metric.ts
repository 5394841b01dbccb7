import type { Json } from '../../../api/meta/object.ts'
import type { Environment } from '../../../cel/environment.ts'
import type { Value } from '../../../cel/values/value.ts'
import { duplicate, invalid, required } from '../../../meta/field-error.ts'
import { CelExpressionError } from '../cel-expression.ts'
import type { FieldReader } from '../field-reader.ts'
import { decodeObject } from '../object-reader.ts'
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

/** Decodes a Metric. Throws KwokObjectError. */
export const decodeMetric = (object: Json, environment: Environment): MetricPage =>
  decodeObject(object, ['Metric'], (spec, { name }) => {
    const path = spec.requiredText('path')
    if (path !== '' && !path.startsWith(ROOT)) spec.report(invalid(spec.path.child('path'), path, `must begin with ${ROOT}`))
    const metrics = spec.objects('metrics').map(reader => metricRule(reader, environment))
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

function metricRule(reader: FieldReader, environment: Environment): MetricRule {
  const name = validName(reader, METRIC_NAME)
  const kind = reader.oneOf('kind', KINDS)
  if (!reader.has('kind')) reader.report(required(reader.path.child('kind')))
  const isHistogram = kind === 'histogram'
  const rule = {
    name,
    help: reader.text('help') ?? '',
    kind: kind ?? 'gauge',
    dimension: reader.oneOf('dimension', DIMENSIONS) ?? 'node',
    labels: labelsOf(reader, environment),
    value: isHistogram ? () => 0 : amountAt(reader, environment),
    buckets: reader.objects('buckets').map(bucket => metricBucket(bucket, environment)),
  }
  if (isHistogram && reader.has('value')) reader.text('value')
  reader.rejectOthers()
  return { ...rule, buckets: rule.buckets.sort((a, b) => a.le - b.le) }
}

function labelsOf(reader: FieldReader, environment: Environment): MetricRule['labels'] {
  return new Map(
    reader.objects('labels').map(label => {
      const name = validName(label, LABEL_NAME)
      const expression = expressionAt(label, 'value', environment)
      label.rejectOthers()
      return [name, (subject: MetricSubject) => textOf(expression?.evaluate(variablesOf(subject)) ?? '')]
    }),
  )
}

function metricBucket(reader: FieldReader, environment: Environment): MetricBucket {
  const le = reader.number('le')
  if (le === undefined) reader.report(required(reader.path.child('le')))
  else if (le < 0) reader.report(invalid(reader.path.child('le'), le, 'must be greater than or equal to 0'))
  const bucket = { le: le ?? 0, hidden: reader.flag('hidden'), value: amountAt(reader, environment) }
  reader.rejectOthers()
  return bucket
}

function amountAt(reader: FieldReader, environment: Environment): (subject: MetricSubject) => number {
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
