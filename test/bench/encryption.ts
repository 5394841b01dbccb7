/**
 * Cost of encryption at rest: objects of 2 KB, each provider beside identity, first the transformation alone, then
 * creates (64 in flight), gets and a list through a Storage over the embedded store, and gets from the watch cache,
 * which holds them decrypted. Rounds are interleaved; the medians are printed. Usage: node --import tsx
 * test/bench/encryption.ts [rounds] [objects]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { openEmbedded } from '../../src/storage/embedded/open-embedded.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { encryptionOf, identityProvider, providerOf } from '../support/encryption-config.ts'
import { encryptedHarness } from '../support/test-cacher.ts'
import { everything, put, testKey, testObject, testPrefix } from '../support/test-codec.ts'

const rounds = Number(process.argv[2] ?? 3)
const objects = Number(process.argv[3] ?? 5000)
const data = { text: 'x'.repeat(1800) }
const { signal } = new AbortController()
const providers = {
  identity: identityProvider,
  aesgcm: providerOf('aesgcm', 'k'),
  aescbc: providerOf('aescbc', 'k'),
  secretbox: providerOf('secretbox', 'k'),
}
const spent = new Map<string, Map<string, number[]>>()

async function measure(what: string, provider: string, run: () => Promise<void>): Promise<void> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  const row = spent.get(what) ?? new Map<string, number[]>()
  spent.set(what, row.set(provider, [...(row.get(provider) ?? []), (user + system) / objects]))
}

async function each(inFlight: number, act: (name: string) => Promise<unknown>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < objects) await act(`n${next++}`)
    }),
  )
}

async function measureStorage(provider: keyof typeof providers): Promise<void> {
  const encryption = encryptionOf(providers[provider])
  const dir = mkdtempSync(join(tmpdir(), 'bench-'))
  const harness = encryptedHarness('direct', await openEmbedded({ dir }, systemClock, silentLogger))
  const storage: Storage = await harness.open(encryption)
  await measure('create', provider, () => each(64, name => storage.write(testKey(name), put(testObject(name, data)), signal, 'absent')))
  await measure('get from the store', provider, () => each(1, name => storage.get(testKey(name), 'latest', signal)))
  await measure(
    'list from the store, an object',
    provider,
    async () => void (await storage.list(testPrefix, { at: 'latest', predicate: everything, limit: 0 }, signal)),
  )
  const cached = encryptedHarness('cached', harness.backend, async () => {})
  const cache = await cached.open(encryption)
  await measure('get from the cache', provider, () => each(1, name => cache.get(testKey(name), 'any', signal)))
  await cached.close()
  await harness.close()
  rmSync(dir, { recursive: true, force: true })
}

const value = Buffer.from(JSON.stringify(testObject('a', data)))
for (let round = 0; round < rounds; round++) {
  for (const [name, provider] of Object.entries(providers)) {
    const transformer = encryptionOf(provider).transformerFor({ group: '', resource: 'secrets' })
    const stored = transformer.toStorage(value, testKey('a'))
    await measure('encrypt alone', name, () => each(1, async () => transformer.toStorage(value, testKey('a'))))
    await measure('decrypt alone', name, () => each(1, async () => transformer.fromStorage(stored, testKey('a'))))
  }
  for (const name of Object.keys(providers) as (keyof typeof providers)[]) await measureStorage(name)
}
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
console.log('CPU µs')
console.table(
  Object.fromEntries(
    [...spent].map(([what, row]) => [what, Object.fromEntries([...row].map(([name, all]) => [name, Math.round(median(all) * 10) / 10]))]),
  ),
)
