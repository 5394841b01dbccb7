/**
 * The watch cache by itself, over a store in memory: what a list costs until its buffers are in an array, and what it
 * costs to give every event to every watcher. Run: node --import tsx test/bench/cacher.ts
 */
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { createCacher } from '../../src/storage/cacher/cacher.ts'
import { key, revision } from '../../src/storage/revision.ts'
import type { Predicate, Storage } from '../../src/storage/storage.ts'
import { batchesOf } from '../support/batches.ts'
import { MemoryBackend } from '../support/memory-backend.ts'
import { everything, labelled, testCodec, testObject, testPrefix } from '../support/test-codec.ts'

const { signal } = new AbortController()
const objects = 10_000
const row = (what: string, figure: string) => console.log(`${what.padEnd(72)} ${figure}`)
const filler = 'x'.repeat(1800)
const keyOf = (i: number) => key(`${testPrefix}ns-${i % 10}/object-${String(i).padStart(6, '0')}`)
const objectOf = (i: number, n: number) =>
  testObject(`object-${String(i).padStart(6, '0')}`, { filler, n: String(n) }, { shard: String(i % 100) }, `ns-${i % 10}`)

let longestCollection = 0
new PerformanceObserver(entries => {
  for (const { duration } of entries.getEntries()) longestCollection = Math.max(longestCollection, duration)
}).observe({ entryTypes: ['gc'] })

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[times.length >> 1]!
}

async function lists(storage: Storage): Promise<void> {
  const list = async (what: string, predicate: Predicate, prefix = testPrefix) => {
    const times: number[] = []
    let size = 0
    for (let i = 0; i < 40; i++) {
      const begun = performance.now()
      const page = await storage.list(prefix, { at: 'any', predicate, limit: 0 }, signal)
      const buffers = page.items.map(item => {
        const { bytes, header } = item.json()
        return bytes.subarray(header)
      })
      times.push(performance.now() - begun)
      size = buffers.length
    }
    row(`list ${what}: ${size} objects`, `${(1000 * median(times)).toFixed(0)} µs`)
  }
  await list('all, to an array of buffers', everything)
  await list('one namespace', everything, key(`${testPrefix}ns-3/`))
  await list('by a label that one in a hundred has', labelled('shard', '7'))
  await list('by a name', { name: 'object-000003', namespace: 'ns-3', everything: false, matches: ({ name }) => name === 'object-000003' })
}

async function fanOut(
  backend: MemoryBackend,
  storage: Storage,
  watchers: number,
  rate: number,
  seconds: number,
  predicate: (i: number) => Predicate,
  what: string,
): Promise<void> {
  const stop = new AbortController()
  const after = await storage.currentRevision(signal)
  let delivered = 0
  let batches = 0
  for (let i = 0; i < watchers; i++) {
    const watcher = await storage.watch(
      testPrefix,
      { start: { after: revision(after) }, predicate: predicate(i), bookmarks: false },
      AbortSignal.any([stop.signal]),
    )
    void (async () => {
      for await (const batch of batchesOf(watcher)) {
        delivered += batch.length
        batches++
      }
    })()
  }
  const turns = monitorEventLoopDelay({ resolution: 1 })
  await new Promise(resolve => setTimeout(resolve, 100))
  global.gc?.()
  longestCollection = 0
  const begun = performance.now()
  const cpu = process.cpuUsage()
  const interval = 5
  turns.enable()
  let sent = 0
  while (performance.now() - begun < 1000 * seconds) {
    const due = Math.floor(((performance.now() - begun) / 1000) * rate)
    const values = []
    for (; sent < due; sent++) values.push({ key: keyOf(sent % objects), value: testCodec.encode(objectOf(sent % objects, sent)) })
    for (const value of values) backend.apply([value])
    await new Promise(resolve => setTimeout(resolve, interval))
  }
  await new Promise(resolve => setTimeout(resolve, 300))
  turns.disable()
  const { user, system } = process.cpuUsage(cpu)
  stop.abort()
  await new Promise(resolve => setTimeout(resolve, 50))
  const seen = delivered
  row(`${watchers} watchers of ${what}, ${rate} events/s: CPU per delivery`, `${((user + system) / Math.max(seen, 1)).toFixed(2)} µs`)
  row('  deliveries/s; events per batch', `${Math.round(seen / seconds)}; ${(seen / Math.max(batches, 1)).toFixed(1)}`)
  row('  longest turn of the event loop; longest collection', `${(turns.max / 1e6).toFixed(1)} ms; ${longestCollection.toFixed(1)} ms`)
}

const backend = new MemoryBackend()
for (let i = 0; i < objects; i++) backend.apply([{ key: keyOf(i), value: testCodec.encode(objectOf(i, 0)) }])
const begun = performance.now()
const cacher = createCacher(backend, [{ name: 'configmaps', prefix: testPrefix, codec: testCodec, namespaced: true }])
await cacher.synced(signal)
row(`first state of ${objects} objects of 2 KB`, `${(performance.now() - begun).toFixed(0)} ms`)
const storage = cacher.storageFor('configmaps')
await lists(storage)
await fanOut(backend, storage, 1000, 1000, 3, () => everything, 'everything')
await fanOut(backend, storage, 1000, 1000, 3, i => labelled('shard', String(i % 100)), 'one label in a hundred each')
const reads = 100_000
const at = performance.now()
for (let i = 0; i < reads; i++) await storage.get(keyOf(i % objects), 'any', signal)
row('get, any', `${((1000 * (performance.now() - at)) / reads).toFixed(2)} µs`)
await cacher.close()
await backend.close()
