/**
 * A simulated cluster over days of its own clock: a Deployment, a Job of a CronJob every ten minutes, and a rollout
 * each hour. Prints heap and resident memory and the numbers of objects after each day, and fails if the last day ends
 * with over a tenth more heap than the fourth, when all histories are full.
 *
 *     node --import tsx test/bench/days.ts
 *
 * DAYS (10), NODES (10), REPLICAS (30).
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { AnyObject } from '../support/any-object.ts'

const count = (name: string, preset: number): number => Number(process.env[name] ?? preset)
const [days, nodes, replicas] = [count('DAYS', 10), count('NODES', 10), count('REPLICAS', 30)]
const MIB = 1024 * 1024

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const containers = [{ name: 'main', image: 'main:1' }]
const deployment = (hour: number): AnyObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' }, annotations: { hour: String(hour) } }, spec: { containers } },
  },
})
const cronJob: AnyObject = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'report', namespace: 'default' },
  spec: {
    schedule: '*/10 * * * *',
    jobTemplate: { spec: { template: { spec: { containers, restartPolicy: 'Never' } } } },
  },
}

const plane = await startControlPlane({ cluster: true, nodes, clock: new Date('2026-01-01T00:00:00Z') })
const listed = async (path: string): Promise<AnyObject[]> => ((await plane.request('GET', path)).body as AnyObject).items

async function report(day: number, seconds: number): Promise<number> {
  collect()
  const { heapUsed, rss } = process.memoryUsage()
  const counts = await Promise.all(
    ['/api/v1/pods', '/apis/batch/v1/jobs', '/api/v1/events', '/apis/apps/v1/replicasets'].map(
      async path => `${(await listed(path)).length} ${path.split('/').at(-1)}`,
    ),
  )
  console.log(
    `day ${day}: ${(heapUsed / MIB).toFixed(1)} MiB of heap, ${(rss / MIB).toFixed(0)} resident, ${counts.join(', ')}; ${seconds.toFixed(0)} s`,
  )
  return heapUsed
}

const heaps: number[] = []
try {
  await plane.apply(cronJob)
  for (let day = 1; day <= days; day++) {
    const begun = performance.now()
    for (let hour = 0; hour < 24; hour++) {
      await plane.apply(deployment(24 * day + hour))
      await plane.advance('1h')
    }
    heaps.push(await report(day, (performance.now() - begun) / 1000))
  }
} finally {
  await plane.stop()
}
const [fourth, last] = [heaps[3], heaps.at(-1)]
if (fourth !== undefined && last !== undefined) {
  console.log(`the last day ends with ${(last / fourth).toFixed(2)} times the heap of the fourth`)
  if (last > 1.1 * fourth) process.exitCode = 1
}
