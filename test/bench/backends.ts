/**
 * Guarded creates of 1.5 KB values at 64 in flight: our Backend on etcd and embedded, beside a plain program that makes
 * the same transactions through etcd3's `kv`. Rounds are interleaved; the medians are printed. Usage: node --import tsx
 * test/bench/backends.ts [rounds] [creates]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Etcd3 } from 'etcd3'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLogger } from '../../src/lib/log.ts'
import type { Backend } from '../../src/storage/backend.ts'
import { openEmbedded } from '../../src/storage/embedded/open-embedded.ts'
import { openEtcd } from '../../src/storage/etcd/open-etcd.ts'
import { prefixEnd } from '../../src/storage/key-range.ts'
import type { Key, Revision } from '../../src/storage/revision.ts'
import { findEtcd, startEtcd } from '../support/etcd.ts'

const rounds = Number(process.argv[2] ?? 5)
const creates = Number(process.argv[3] ?? 10_000)
const value = Buffer.alloc(1500, 'x')
const signal = new AbortController().signal
const results = new Map<string, { rate: number; cpu: number }[]>()
let keys = 0

async function measure(name: string, count: number, run: () => Promise<unknown>): Promise<void> {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  await run()
  const seconds = (performance.now() - begun) / 1000
  const { user, system } = process.cpuUsage(cpu)
  results.set(name, [...(results.get(name) ?? []), { rate: count / seconds, cpu: (user + system) / count }])
}

async function inFlight(create: (key: string) => Promise<void>): Promise<void> {
  let left = creates
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (left-- > 0) await create(`/registry/bench/${keys++}`)
    }),
  )
}

async function measureBackend(name: string, backend: Backend): Promise<void> {
  const from = ((await backend.currentRevision(signal)) + 1) as Revision
  await measure(`${name}: create`, creates, () =>
    inFlight(async key => {
      const result = await backend.write({ key: key as Key, expected: 0, value }, signal)
      if (!result.ok) throw new Error(`${key} was there`)
    }),
  )
  const start = '/registry/bench/' as Key
  const end = prefixEnd(start)
  await measure(`${name}: list, per object`, creates, () => backend.range({ start, end, limit: creates }, signal))
  await measure(`${name}: watch from the past, per event`, creates, async () => {
    let seen = 0
    for await (const batch of backend.watch({ start, end, from }, signal)) {
      seen += batch.events.length
      if (seen >= creates) break
    }
  })
}

const dir = mkdtempSync(join(tmpdir(), 'bench-'))
const server = findEtcd() ? await startEtcd() : undefined
const embedded = await openEmbedded({ dir }, systemClock, silentLogger)
const etcd = server && (await openEtcd({ servers: [server.url] }, silentLogger))
const plain = server && new Etcd3({ hosts: server.url })
for (let round = 0; round < rounds; round++) {
  await measureBackend('embedded', embedded)
  if (!etcd || !plain) continue
  await measure('plain etcd3 kv: create', creates, () =>
    inFlight(async key => {
      const result = await plain.kv.txn({
        compare: [{ target: 'Mod', result: 'Equal', key: Buffer.from(key), mod_revision: '0' }],
        success: [{ request_put: { key: Buffer.from(key), value } }],
        failure: [{ request_range: { key: Buffer.from(key) } }],
      })
      if (!result.succeeded) throw new Error(`${key} was there`)
    }),
  )
  await measureBackend('etcd', etcd)
}
const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]!
const table = Object.fromEntries(
  [...results].map(([name, all]) => [
    name,
    { 'per second': Math.round(median(all.map(r => r.rate))), 'CPU µs': Math.round(median(all.map(r => r.cpu)) * 10) / 10 },
  ]),
)
console.table(table)
const ours = table['etcd: create']
const theirs = table['plain etcd3 kv: create']
if (ours && theirs)
  console.log(
    `etcd: create / plain etcd3 kv: ${(ours['per second'] / theirs['per second']).toFixed(2)} of its rate, ${(ours['CPU µs'] / theirs['CPU µs']).toFixed(2)} of its CPU`,
  )
else console.log('etcd was not measured: there is no etcd binary; hack/etcd installs one')
plain?.close()
await etcd?.close()
await embedded.close()
await server?.stop()
const reopening = performance.now()
await (await openEmbedded({ dir }, systemClock, silentLogger)).close()
console.log(`embedded: opened and closed with ${rounds * creates} revisions in ${(performance.now() - reopening).toFixed(1)} ms`)
rmSync(dir, { recursive: true, force: true })
