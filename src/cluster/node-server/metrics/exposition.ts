import { formatDouble } from '../../../lib/format-double.ts'
import { isLongStepDone, type Steps, sortInSteps } from '../../../lib/steps.ts'
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

/** Longest page, in characters: labels of long values, times buckets and containers, would take all memory. */
export const MAX_PAGE_LENGTH = 1 << 24

/** Text of a page, by lines. */
export class PageText {
  readonly #lines: string[] = []
  #length = 0

  /** Adds a line. Throws an Error if the page becomes too long. */
  add(line: string): void {
    this.#length += line.length + 1
    if (this.#length > MAX_PAGE_LENGTH) throw new Error(`the page has more than ${MAX_PAGE_LENGTH} characters`)
    this.#lines.push(`${line}\n`)
  }

  get text(): string {
    return this.#lines.join('')
  }
}

/**
 * Prints a family in Prometheus' text format, with its samples in the order of their labels, as client_golang does. Runs
 * in steps of some lines. Throws an Error if the page becomes too long.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function* printFamily({ name, help, kind, samples }: MetricFamilySamples, page: PageText): Steps<void> {
  page.add(`# HELP ${name} ${escaped(help)}`)
  page.add(`# TYPE ${name} ${kind}`)
  const keyed = samples.map(sample => ({ sample, key: sample.labels.map(([, value]) => value) }))
  for (const { sample } of yield* sortInSteps(keyed, (a, b) => compareLists(a.key, b.key))) {
    if (isLongStepDone()) yield
    if (kind === 'histogram') yield* printHistogram(name, sample, page)
    else page.add(`${name}${labelText(sample.labels)} ${formatDouble(sample.value)}`)
  }
}

function* printHistogram(name: string, { labels, observations }: MetricSample, page: PageText): Steps<void> {
  let count = 0
  let sum = 0
  for (const { le, hidden, count: more } of observations) {
    if (isLongStepDone()) yield
    count += more
    sum += le * more
    if (!hidden) page.add(`${name}_bucket${labelText([...labels, ['le', formatDouble(le)]])} ${count}`)
  }
  page.add(`${name}_bucket${labelText([...labels, ['le', '+Inf']])} ${count}`)
  page.add(`${name}_sum${labelText(labels)} ${formatDouble(sum)}`)
  page.add(`${name}_count${labelText(labels)} ${count}`)
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
