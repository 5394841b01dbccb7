import { useEffect, useState } from 'preact/hooks'
import { Chart, type Series } from '../chart.tsx'
import { growth, quantile, type Sample, samplesOf, sumsBy } from '../exposition.ts'
import { Failure, Loading, PageHead } from '../parts.tsx'
import { callApi } from '../session.ts'
import { usePolled } from '../use.ts'

const EVERY_MS = 2_000
const LENGTH = 90
const NAMES = {
  requests: 'apiserver_request_total',
  durations: 'apiserver_request_duration_seconds_bucket',
  longRunning: 'apiserver_longrunning_requests',
  inFlight: 'apiserver_current_inflight_requests',
  resident: 'process_resident_memory_bytes',
  heap: 'nodejs_heap_size_used_bytes',
  processor: 'process_cpu_seconds_total',
  objects: 'apiserver_storage_objects',
}
const WANTED: ReadonlySet<string> = new Set(Object.values(NAMES))
/** Verbs whose duration is that of the connection, and not of its processing. */
const LONG: ReadonlySet<string> = new Set(['WATCH', 'CONNECT', 'WATCHLIST'])

interface Look {
  readonly at: number
  readonly samples: readonly Sample[]
}

/** Values of one scrape, by chart and line. */
type Point = Readonly<Record<string, ReadonlyMap<string, number | undefined>>>

async function look(signal: AbortSignal): Promise<Look> {
  const text = await (await callApi('/metrics', { headers: { Accept: 'text/plain' }, signal })).text()
  return { at: performance.now(), samples: samplesOf(text, WANTED) }
}

function pointOf(before: Look, { at, samples }: Look): Point {
  const seconds = (at - before.at) / 1000
  const rates = (name: string, label: string): Map<string, number> =>
    new Map([...growth(sumsBy(before.samples, name, label), sumsBy(samples, name, label))].map(([key, value]) => [key, value / seconds]))
  const short = (all: readonly Sample[]): readonly Sample[] => all.filter(({ labels }) => !LONG.has(labels.verb ?? ''))
  const buckets = growth(sumsBy(short(before.samples), NAMES.durations, 'le'), sumsBy(short(samples), NAMES.durations, 'le'))
  const single = (name: string): number | undefined => samples.find(sample => sample.name === name)?.value
  const processor = single(NAMES.processor)
  return {
    rate: new Map([...rates(NAMES.requests, 'verb')].sort(([, a], [, b]) => b - a).slice(0, 6)),
    latency: new Map([
      ['half', quantile(0.5, buckets)],
      ['99%', quantile(0.99, buckets)],
    ]),
    memory: new Map([
      ['resident', single(NAMES.resident)],
      ['heap', single(NAMES.heap)],
    ]),
    watchers: new Map([
      [
        'watches',
        samples.reduce((sum, { name, labels, value }) => (name === NAMES.longRunning && labels.verb === 'WATCH' ? sum + value : sum), 0),
      ],
    ]),
    errors: new Map([...rates(NAMES.requests, 'code')].filter(([code]) => code >= '400').slice(0, 6)),
    inFlight: sumsBy(samples, NAMES.inFlight, 'request_kind'),
    processor: new Map([
      [
        'of one processor',
        processor === undefined
          ? undefined
          : (processor - (before.samples.find(({ name }) => name === NAMES.processor)?.value ?? processor)) / seconds,
      ],
    ]),
    objects: new Map([['stored', [...sumsBy(samples, NAMES.objects, 'none').values()][0]]]),
  }
}

const countText = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })
const durationText = (value: number): string => (value < 1 ? `${countText(value * 1000)} ms` : `${countText(value)} s`)
const megabytes = (value: number): string => `${countText(value / 1024 / 1024)} MB`
const share = (value: number): string => `${countText(value * 100)}%`

const CHARTS: readonly (readonly [id: string, title: string, print: (value: number) => string])[] = [
  ['rate', 'Requests a second, by verb', countText],
  ['latency', 'Duration of requests', durationText],
  ['errors', 'Errors a second, by status', countText],
  ['watchers', 'Watches', countText],
  ['memory', 'Memory', megabytes],
  ['processor', 'Processor', share],
  ['inFlight', 'Requests in flight', countText],
  ['objects', 'Objects', countText],
]

/** Charts of /metrics, since the page was opened. */
export function MetricsPage() {
  const { value, error } = usePolled(look, EVERY_MS)
  const [last, setLast] = useState<Look>()
  const [points, setPoints] = useState<readonly Point[]>([])
  useEffect(() => {
    if (value === undefined) return
    if (last !== undefined) setPoints(old => [...old, pointOf(last, value)].slice(-LENGTH))
    setLast(value)
  }, [value])
  return (
    <section class="page" aria-label="Metrics">
      <PageHead title="Metrics">
        <span class="muted">every {EVERY_MS / 1000} s while this is seen</span>
      </PageHead>
      <div class="page-body">
        {error ? (
          <Failure error={error} />
        ) : points.length === 0 ? (
          <Loading />
        ) : (
          <div class="charts">
            {CHARTS.map(([id, title, print]) => (
              <Chart key={id} title={title} series={seriesOf(points, id)} length={LENGTH} print={print} />
            ))}
          </div>
        )}
      </div>
    </section>
  )
}

function seriesOf(points: readonly Point[], id: string): readonly Series[] {
  const names = new Set(points.flatMap(point => [...(point[id]?.keys() ?? [])]))
  return [...names].slice(0, 8).map(name => ({ name, values: points.map(point => point[id]?.get(name)) }))
}
