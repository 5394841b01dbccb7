import { setMaxListeners } from 'node:events'
import { expect } from 'chai'
import type { Cacher } from '../../../../src/storage/cacher/cacher-types.ts'
import { CHANGES_PER_ROUND } from '../../../../src/storage/cacher/pending-changes.ts'
import { key, revision } from '../../../../src/storage/revision.ts'
import type { Predicate, Storage, StorageEvent } from '../../../../src/storage/storage.ts'
import { batchesOf } from '../../../support/batches.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { openCacher } from '../../../support/test-cacher.ts'
import { decided, everything, put, take, testCodec, testKey, testObject, testPrefix } from '../../../support/test-codec.ts'
import { turns } from '../../../support/waiting.ts'

const { signal } = new AbortController()
setMaxListeners(0, signal)
/** So many that a round over them takes several turns of the event loop. */
const WATCHERS = 32
const CHANGES = 8 * CHANGES_PER_ROUND
/**
 * Of these so many have been given before a write goes on: fewer than four rounds wait then, besides the one that is
 * given.
 */
const BEFORE_WRITES = (CHANGES - 5 * CHANGES_PER_ROUND) * WATCHERS

describe('storage/cacher: writes and watchers', () => {
  let backend: MemoryBackend
  let cacher: Cacher
  let storage: Storage
  /** Changes that watchers have been given. */
  let given: number

  /** Each of its matches takes 20 microseconds of the clock, which stands still otherwise. */
  const thorough: Predicate = {
    everything: false,
    matches: () => {
      given++
      return true
    },
  }
  const { now } = performance
  const allInCache = async (): Promise<void> => {
    while (cacher.stats().revision !== backend.revision) await turns(1)
  }
  const seed = (count: number, namespace = 'default') => {
    for (let i = 0; i < count; i++)
      backend.apply([{ key: testKey(`seed-${i}`, namespace), value: testCodec.encode(testObject(`seed-${i}`, {}, undefined, namespace)) }])
  }
  const watch = (predicate: Predicate, prefix = testPrefix) =>
    storage.watch(prefix, { start: { after: revision(1) }, predicate, bookmarks: false }, signal)
  /** Writes an object, and returns how many changes the watchers had been given when it was decided. */
  const givenAtWrite = async (namespace = 'default', writing = signal): Promise<number> => {
    const { result } = await storage.write(
      testKey('late', namespace),
      async () => ({ ...decided({ put: testObject('late', {}, undefined, namespace) }), result: given }),
      writing,
    )
    return result
  }

  beforeEach(async () => {
    given = 0
    backend = new MemoryBackend()
    cacher = openCacher(backend, { queueLimit: 10 * CHANGES })
    storage = cacher.storageFor('configmaps')
    await cacher.synced(signal)
    const begun = now.call(performance)
    performance.now = () => begun + given * 0.02
  })
  afterEach(async () => {
    performance.now = now
    await cacher.close()
    await backend.close()
  })

  describe('while delivery to watchers is behind', () => {
    let told: AsyncIterator<readonly StorageEvent[]>[]

    beforeEach(async () => {
      told = []
      for (let i = 0; i < WATCHERS; i++) told.push(batchesOf(await watch(thorough)))
      seed(CHANGES)
      await allInCache()
    })

    it('a write waits until fewer than four rounds are pending', async () => {
      expect(await givenAtWrite()).to.be.at.least(BEFORE_WRITES)
      expect(cacher.stats().resources[0]?.counts.pacedWrites).to.equal(1)
    })

    it('a write fails when its deadline passes', async () => {
      const failed = await givenAtWrite('default', AbortSignal.abort()).catch((error: { code: string }) => error.code)
      expect(failed).to.equal('timeout')
      expect(given).to.be.below(BEFORE_WRITES)
    })

    it('watchers receive every change', async () => {
      await givenAtWrite()
      for (const events of told) expect(await take(events, CHANGES + 1)).to.have.length(CHANGES + 1)
    })
  })

  it('does not wait for watchers of another namespace', async () => {
    for (let i = 0; i < WATCHERS; i++) await watch(thorough, key(`${testPrefix}busy/`))
    seed(CHANGES, 'busy')
    await allInCache()
    expect(await givenAtWrite('quiet')).to.be.below(BEFORE_WRITES)
    expect(cacher.stats().resources[0]?.counts.pacedWrites).to.equal(0)
    expect(await givenAtWrite('busy')).to.be.at.least(BEFORE_WRITES)
  })

  it('does not wait for clients that do not read their events', async () => {
    const watcher = await watch(everything)
    seed(CHANGES)
    for (let i = 0; i < CHANGES; i++) await storage.write(testKey(`${i}`), put(testObject(`${i}`)), signal)
    expect(await take(watcher, 2 * CHANGES)).to.have.length(2 * CHANGES)
  })
})
