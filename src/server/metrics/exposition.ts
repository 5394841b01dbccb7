import { setTimeout as sleep } from 'node:timers/promises'
import { compressBody, decompressBody } from '../../lib/compressed-body.ts'
import type { FilledBody } from '../../lib/filled-body.ts'
import { helpOf, type MetricFamily, type Sample } from '../../lib/metrics.ts'
import type { SharedMetrics } from './shared-metrics.ts'

/** Characters that are encoded at once. They take about a millisecond. */
const PIECE_CHARACTERS = 32 * 1024
/** The fastest level: the lines are similar and compress well. */
const LEVEL = 1

/** The event loop delay is sampled every 10 ms. Its mean is NaN before the first sample. */
const FIRST_SAMPLE_MS = 25

/**
 * Loading prom-client takes a tenth of the start of a server, so it is loaded this long after it. Garbage collections
 * and event loop delays are counted from then on.
 */
const COUNTED_AFTER_MS = 500

/**
 * Returns the handler of a scrape. The response has these families and those of the process, except the disabled ones.
 * With several workers, it has the sums over all workers.
 */
export function expositionOf(
  families: readonly MetricFamily[],
  shared: SharedMetrics | undefined,
  disabled: Iterable<string> = [],
): () => Promise<Buffer | FilledBody> {
  const adopted = shared === undefined ? [] : families
  let counted: ReturnType<typeof countedWith> | undefined
  const count = (): ReturnType<typeof countedWith> => (counted ??= countedWith(adopted, disabled))
  setTimeout(count, COUNTED_AFTER_MS).unref()
  if (shared === undefined)
    return async () => {
      const { registry } = await count()
      const own = Buffer.from(await registry.metrics())
      return decompressBody(await compressBody(withOwn(families, own), { level: LEVEL }))
    }
  shared.offer(async () => {
    const { registry, snapshotsOf } = await count()
    return snapshotsOf(registry)
  })
  return async () => Buffer.from(await shared.gather())
}

function* withOwn(families: readonly MetricFamily[], own: Buffer): Generator<Buffer, void> {
  yield* printFamilies(families)
  yield own
}

/** Returns a registry of the process's metrics and of our families, which are `adopted`. */
async function countedWith(families: readonly MetricFamily[], disabled: Iterable<string>) {
  const { adopt, processMetrics, snapshotsOf } = await import('./metrics-registry.ts')
  const registry = processMetrics(disabled)
  for (const family of families) adopt(registry, family)
  await sleep(FIRST_SAMPLE_MS, undefined, { ref: false })
  return { registry, snapshotsOf }
}

/**
 * Prints families in Prometheus' text format, in pieces: with many kinds in use the text has megabytes.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function* printFamilies(families: Iterable<MetricFamily>): Generator<Buffer, void> {
  let text = ''
  for (const family of families) {
    const { name, type } = family
    text += `# HELP ${name} ${escapeLabel(helpOf(family))}\n# TYPE ${name} ${type}\n`
    let labels: Sample['labels'] | undefined
    let printed = ''
    for (const sample of family.samples()) {
      if (sample.labels !== labels) {
        labels = sample.labels
        printed = printLabels(labels)
      }
      text += `${sample.metricName}${withBound(printed, sample.le)} ${printNumber(sample.value)}\n`
      if (text.length < PIECE_CHARACTERS) continue
      yield Buffer.from(text)
      text = ''
    }
  }
  yield Buffer.from(text)
}

/** `a="1",b="2"` */
const printLabels = (labels: Sample['labels']): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value).replaceAll('"', '\\"')}"`)
    .join(',')

function withBound(labels: string, le: string | undefined): string {
  if (le === undefined) return labels === '' ? '' : `{${labels}}`
  return labels === '' ? `{le="${le}"}` : `{${labels},le="${le}"}`
}

const SPECIAL = /[\\\n]/

const escapeLabel = (text: string): string => (SPECIAL.test(text) ? text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n') : text)

function printNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
