import type { MetricFamily, Sample } from '../lib/metrics.ts'
import { nextTurn, turnIsSpent } from '../lib/turn.ts'
import { adopt, processMetrics } from './metrics-registry.ts'
import type { MetricSnapshot } from './workers/messages.ts'
import type { SharedMetrics } from './workers/worker-link.ts'

/** Characters of text that are made into bytes together. */
const PIECE_CHARACTERS = 64 * 1024
/** Lines between two looks at the time. */
const LINES = 64

/** What a scrape gets: these families and those of the process; of all workers, where several serve the same port. */
export function expositionOf(families: readonly MetricFamily[], shared: SharedMetrics | undefined): () => Promise<readonly Buffer[]> {
  const registry = processMetrics()
  if (shared === undefined) return async () => [...(await printFamilies(families)), Buffer.from(await registry.metrics())]
  for (const family of families) adopt(registry, family)
  shared.offer(async () => (await registry.getMetricsAsJSON()) as unknown as MetricSnapshot[])
  return async () => [Buffer.from(await shared.gather())]
}

/**
 * The families in Prometheus' text format, made in turns with all else: with many kinds in use it is megabytes.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export async function printFamilies(families: Iterable<MetricFamily>): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  let text = ''
  let lines = 0
  for (const family of families) {
    const { name, help, type } = family
    text += `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`
    let labels: Sample['labels'] | undefined
    let printed = ''
    for (const sample of family.samples()) {
      if (sample.labels !== labels) {
        labels = sample.labels
        printed = printLabels(labels)
      }
      text += `${sample.metricName}${withBound(printed, sample.le)} ${printNumber(sample.value)}\n`
      if (text.length >= PIECE_CHARACTERS) {
        pieces.push(Buffer.from(text))
        text = ''
      }
      if (++lines % LINES === 0 && turnIsSpent()) await nextTurn()
    }
  }
  pieces.push(Buffer.from(text))
  return pieces
}

/** `a="1",b="2"` */
const printLabels = (labels: Sample['labels']): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`)
    .join(',')

function withBound(labels: string, le: string | undefined): string {
  if (le === undefined) return labels === '' ? '' : `{${labels}}`
  return labels === '' ? `{le="${le}"}` : `{${labels},le="${le}"}`
}

const SPECIAL = /[\\\n]/

const escaped = (text: string): string => (SPECIAL.test(text) ? text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n') : text)

function printNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
