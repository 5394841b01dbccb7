import { expect } from 'chai'
import { Registry } from 'prom-client'
import { type Across, CounterFamily, GaugeFamily, HistogramFamily } from '../../../../src/lib/metrics.ts'
import { ClusterMetrics, ofWorker } from '../../../../src/process/workers/cluster-metrics.ts'
import type { FromWorker, ToWorker, WorkerProcess } from '../../../../src/process/workers/messages.ts'
import { connectToPrimary } from '../../../../src/process/workers/worker-link.ts'
import { adopt } from '../../../../src/server/metrics/metrics-registry.ts'
import type { MetricSnapshot } from '../../../../src/server/metrics/shared-metrics.ts'

interface Counted {
  readonly requests: number
  readonly open: number
  readonly objects: number
  readonly durations: readonly number[]
}

const declare = (name: string, labels: string[], across: Across = 'sum') => ({
  name,
  help: 'Help.',
  stability: 'ALPHA' as const,
  labels,
  across,
})

/** A worker with its own registry, and its channel to the primary. */
function worker(number: number, counted: Counted, primary: () => ClusterMetrics) {
  const requests = new CounterFamily(declare('requests_total', ['code']))
  const open = new GaugeFamily(declare('open', []))
  const objects = new GaugeFamily(declare('objects', [], 'max'))
  const durations = new HistogramFamily({ ...declare('seconds', []), buckets: [0.1, 1] })
  requests.child('200').value = counted.requests
  open.child().value = counted.open
  objects.child().value = counted.objects
  for (const each of counted.durations) durations.child().observe(each)
  const registry = new Registry()
  for (const family of [requests, open, objects, durations]) adopt(registry, family)
  const process: MetricSnapshot = {
    name: 'process_memory',
    help: 'Help.',
    type: 'gauge',
    aggregator: 'omit',
    values: [{ value: 100 * number, labels: {} }],
  }
  const lag: MetricSnapshot = {
    name: 'nodejs_lag',
    help: 'Help.',
    type: 'gauge',
    aggregator: 'average',
    values: [{ value: Number.NaN, labels: {} }],
  }

  let silent = false
  let toWorker: (message: ToWorker) => void = () => {}
  // Encoded as JSON, as between processes.
  const wire = <T>(message: T): T => JSON.parse(JSON.stringify(message))
  const process_: WorkerProcess = {
    pid: number,
    send: message => {
      if (!silent) toWorker(wire(message))
    },
    kill() {},
    onMessage() {},
    onExit() {},
    onGone() {},
  }
  const link = connectToPrimary({
    env: { BINNACLE_WORKER: String(number) },
    send(message: FromWorker) {
      const { type, ...rest } = wire(message)
      if (type === 'collected') primary().collected(number, (rest as { id: number }).id, (rest as { families: MetricSnapshot[] }).families)
      if (type === 'scrape')
        void primary()
          .gather()
          .then(text => toWorker({ type: 'scraped', id: (rest as { id: number }).id, text }))
      return true
    },
    on(_event, handle) {
      toWorker = handle
    },
  })
  link?.offer(async () => [...((await registry.getMetricsAsJSON()) as unknown as MetricSnapshot[]), process, lag])
  return {
    process: process_,
    link,
    requests,
    silence: () => {
      silent = true
    },
  }
}

function cluster(...counts: Counted[]) {
  const alive = new Map<number, WorkerProcess>()
  const own = ofWorker(
    { name: 'process_memory', help: 'Help.', type: 'gauge', aggregator: 'sum', values: [{ value: 7, labels: {} }] },
    'primary',
  )
  const metrics: ClusterMetrics = new ClusterMetrics(
    () => alive,
    () => [own],
  )
  const workers = counts.map((counted, index) => worker(index + 1, counted, () => metrics))
  workers.forEach(({ process }, index) => void alive.set(index + 1, process))
  return { metrics, workers, alive }
}

const samples = (text: string): string[] => text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
const first: Counted = { requests: 5, open: 2, objects: 100, durations: [0.05, 0.5] }
const second: Counted = { requests: 7, open: 1, objects: 99, durations: [0.5, 3] }

describe('ClusterMetrics', () => {
  it('merges the metrics of all workers, regardless of the worker that is scraped', async () => {
    const { workers } = cluster(first, second)
    for (const { link } of workers)
      expect(samples((await link?.gather()) ?? '')).to.have.members([
        'requests_total{code="200"} 12',
        'open 3',
        'objects 100',
        'seconds_bucket{le="0.1"} 1',
        'seconds_bucket{le="1"} 3',
        'seconds_bucket{le="+Inf"} 4',
        'seconds_sum 4.05',
        'seconds_count 4',
        'process_memory{worker="1"} 100',
        'process_memory{worker="2"} 200',
        'process_memory{worker="primary"} 7',
      ])
  })

  it('keeps the counters of a worker that has ended, and nothing else of it', async () => {
    const { metrics, alive } = cluster(first, second)
    await metrics.gather()
    alive.delete(2)
    await metrics.retire(2)
    const after = samples(await metrics.gather())
    expect(after).to.include.members([
      'requests_total{code="200"} 12',
      'seconds_count 4',
      'open 2',
      'objects 100',
      'process_memory{worker="1"} 100',
    ])
    expect(after.join()).not.to.include('worker="2"')
    // A new worker replaces it, with the same number.
    const next = worker(2, { requests: 1, open: 1, objects: 100, durations: [] }, () => metrics)
    alive.set(2, next.process)
    expect(samples(await metrics.gather())).to.include.members([
      'requests_total{code="200"} 13',
      'seconds_count 4',
      'open 3',
      'process_memory{worker="2"} 200',
    ])
  })

  it('uses the previous report of a worker that does not respond', async () => {
    const { metrics, workers } = cluster(first, second)
    await metrics.gather()
    workers[0]?.silence()
    const child = workers[1]?.requests.child('200')
    if (child) child.value = 10
    expect(samples(await metrics.gather())).to.include.members(['requests_total{code="200"} 15', 'open 3'])
  })
})

describe('connectToPrimary', () => {
  it('returns undefined in other processes', () => {
    const channel = { send: () => true, on: () => {} }
    expect(connectToPrimary({ ...channel, env: {} })).to.equal(undefined)
    expect(connectToPrimary({ on: channel.on, env: { BINNACLE_WORKER: '1' } })).to.equal(undefined)
    expect(connectToPrimary({ ...channel, env: { BINNACLE_WORKER: '3' } })?.number).to.equal(3)
  })

  it('reports that it receives messages, and handles them', async () => {
    const sent: FromWorker[] = []
    let tell: (message: ToWorker) => void = () => {}
    const link = connectToPrimary({
      env: { BINNACLE_WORKER: '1' },
      send: message => sent.push(message) > 0,
      on: (_event, handle) => {
        tell = handle
      },
    })
    const begin = {
      credentials: { tls: { cert: 'c', key: 'k', clientCa: 'a' }, serverCa: 's', ownCa: { cert: 'o', key: 'k' } },
      securePort: 1,
      insecurePort: 0,
      fillFirst: true,
    }
    tell({ type: 'begin', begin })
    expect(await link?.begin).to.equal(begin)
    tell({ type: 'ping' })
    link?.serving()
    tell({ type: 'stop' })
    await link?.stop
    expect(sent.map(({ type }) => type)).to.deep.equal(['hello', 'pong', 'serving'])
  })
})
