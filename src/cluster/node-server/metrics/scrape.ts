import type { Node, Pod } from '../../../api/core/v1.types.ts'
import type { JsonObject } from '../../../api/meta/object.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { MetricPage, MetricRule, MetricSubject } from '../../kwok/rules/metric.ts'
import { type BucketCount, type MetricSample, PageText, printFamily } from './exposition.ts'

/** Most expressions that are evaluated for a page. A node of 110 pods has some 20,000. */
const MOST_VALUES = 500_000

/** A node with the pods that run there. */
export interface ScrapedNode {
  readonly node: Node
  readonly pods: readonly Pod[]
}

/**
 * Prints the page of a node, in steps of one expression or some lines. A metric whose expression fails is left out, and
 * reported, and so are those that exceed the number of values. Throws an Error if the page is too long.
 * @param prepare called before each evaluation, as others may take place between two steps
 */
export function* scrapedPage(
  { metrics }: MetricPage,
  scraped: ScrapedNode,
  prepare: () => void,
  onError: (metric: string, message: string) => void,
): Steps<string> {
  let left = MOST_VALUES
  const counted = (): void => {
    if (--left < 0) throw new Error(`the page has more than ${MOST_VALUES} values`)
    prepare()
  }
  const families = new Map<string, { readonly rule: MetricRule; readonly samples: Map<string, MetricSample> }>()
  for (const rule of metrics) {
    const samples = families.get(rule.name)?.samples ?? new Map<string, MetricSample>()
    try {
      for (const subject of subjectsOf(rule, scraped)) {
        const sample = yield* sampleOf(rule, subject, counted)
        samples.set(JSON.stringify(sample.labels), sample)
      }
      if (samples.size > 0) families.set(rule.name, { rule, samples })
    } catch (error) {
      onError(rule.name, errorMessage(error))
    }
  }
  const page = new PageText()
  for (const [name, { rule, samples }] of [...families].sort(([a], [b]) => (a < b ? -1 : 1))) {
    yield
    yield* printFamily({ name, help: rule.help, kind: rule.kind, samples: [...samples.values()] }, page)
  }
  return page.text
}

function* subjectsOf({ dimension }: MetricRule, { node, pods }: ScrapedNode): Generator<MetricSubject, void> {
  const subject = { node: node as unknown as JsonObject }
  if (dimension === 'node') yield subject
  else
    for (const pod of pods) {
      const ofPod = { ...subject, pod: pod as unknown as JsonObject }
      if (dimension === 'pod') yield ofPod
      else for (const container of pod.spec.containers ?? []) yield { ...ofPod, container: container as unknown as JsonObject }
    }
}

function* sampleOf(rule: MetricRule, subject: MetricSubject, prepare: () => void): Steps<MetricSample> {
  function* evaluated<T>(expression: (subject: MetricSubject) => T): Steps<T> {
    yield
    prepare()
    return expression(subject)
  }
  const labels: [name: string, value: string][] = []
  for (const [name, expression] of rule.labels) labels.push([name, yield* evaluated(expression)])
  const value = yield* evaluated(rule.value)
  const observations: BucketCount[] = []
  for (const { le, hidden, value: count } of rule.buckets)
    observations.push({ le, hidden, count: Math.max(0, Math.trunc(yield* evaluated(count))) })
  return { labels: labels.sort(([a], [b]) => (a < b ? -1 : 1)), value, observations }
}
