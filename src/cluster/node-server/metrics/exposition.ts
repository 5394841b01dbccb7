import { formatDouble } from '../../../lib/format-double.ts'
import type { MetricKind } from '../../kwok/rules/metric.ts'

/** Value of a metric for one set of labels. */
export interface MetricSample {
  /** Pairs of names and values, by name. */
  readonly labels: readonly (readonly [name: string, value: string])[]
  /** Value of a counter or gauge. */
  readonly value: number
  /** Observations of a histogram by bucket, in ascending order. */
  readonly observations: readonly BucketCount[]
}

export interface BucketCount {
  readonly le: number
  /** Whether the bucket is not printed. Its observations count in those behind it. */
  readonly hidden: boolean
  readonly count: number
}

/** All samples of a metric. */
export interface MetricFamilySamples {
  readonly name: string
  readonly help: string
  readonly kind: MetricKind
  readonly samples: readonly MetricSample[]
}

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Prints a family in Prometheus' text format, with its samples in the order of their labels, as client_golang does.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function familyText({ name, help, kind, samples }: MetricFamilySamples): string {
  const lines = [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${kind}`]
  const sorted = samples.map(sample => ({ sample, key: sample.labels.map(([, value]) => value) }))
  sorted.sort((a, b) => compareLists(a.key, b.key))
  for (const { sample } of sorted)
    if (kind === 'histogram') lines.push(...histogramLines(name, sample))
    else lines.push(`${name}${labelText(sample.labels)} ${formatDouble(sample.value)}`)
  return `${lines.join('\n')}\n`
}

function histogramLines(name: string, { labels, observations }: MetricSample): string[] {
  const lines: string[] = []
  let count = 0
  let sum = 0
  for (const { le, hidden, count: more } of observations) {
    count += more
    sum += le * more
    if (!hidden) lines.push(`${name}_bucket${labelText([...labels, ['le', formatDouble(le)]])} ${count}`)
  }
  return [
    ...lines,
    `${name}_bucket${labelText([...labels, ['le', '+Inf']])} ${count}`,
    `${name}_sum${labelText(labels)} ${formatDouble(sum)}`,
    `${name}_count${labelText(labels)} ${count}`,
  ]
}

const labelText = (labels: MetricSample['labels']): string =>
  labels.length === 0 ? '' : `{${labels.map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`).join(',')}}`

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (const [i, value] of a.entries()) {
    const other = b[i] ?? ''
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}
