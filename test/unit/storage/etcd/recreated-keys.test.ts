import { expect } from 'chai'
import { silentLogger } from '../../../../src/lib/log.ts'
import { seededRandom } from '../../../../src/lib/seeded-random.ts'
import { type Backend, BackendError } from '../../../../src/storage/backend.ts'
import { openEtcd } from '../../../../src/storage/etcd/open-etcd.ts'
import { prefixEnd } from '../../../../src/storage/key-range.ts'
import { key, type Revision, revisionAfter } from '../../../../src/storage/revision.ts'
import { never } from '../../../support/backend.ts'
import { describeOn, usualStoreSetups } from '../../../support/etcd-setups.ts'

const WRITERS = 12
const WRITES = 200
const KEYS = 4
const PREFIX = key('/registry/recreated/')

/**
 * Creates, changes and deletes a few keys that other writers use too. Each value is written once. Adds the revisions of
 * acknowledged writes by value.
 */
async function writeSome(backend: Backend, seed: number, told: Map<string, Revision>): Promise<void> {
  const random = seededRandom(seed)
  for (let n = 0; n < WRITES; n++) {
    const at = key(`${PREFIX}${Math.floor(random() * KEYS)}`)
    const value = `${seed}-${n}`
    const { item } = await backend.get(at, never)
    const deletes = item !== undefined && random() < 0.6
    const write = { key: at, expected: item?.modRevision ?? (0 as const), ...(!deletes && { value: Buffer.from(value) }) }
    try {
      const written = await backend.write(write, never)
      if (written.ok && !deletes) told.set(value, written.revision)
    } catch (error) {
      // The outcome of a creation in kine is unknown if the key has changed often since.
      if (!(error instanceof BackendError && error.code === 'unavailable')) throw error
    }
  }
}

/** The rights of a user and a second store do not change the revision of a write. */
const setups = usualStoreSetups().filter(({ use }) => use !== 'tenant' && use !== 'overrides')

describeOn(setups, 'writers that create and delete the same keys on', setup => {
  it('each get the revision of their own write', async function () {
    this.timeout(600_000)
    const store = await setup.start()
    const backends = [await openEtcd(store.options, silentLogger), await openEtcd(store.options, silentLogger)]
    const [reader] = backends as [Backend, Backend]
    try {
      const told = new Map<string, Revision>()
      const stored = new Map<string, Revision>()
      const end = key(`${PREFIX}end`)
      const write = async () => {
        await Promise.all(Array.from({ length: WRITERS }, (_, n) => writeSome(backends[n % 2] as Backend, n, told)))
        await reader.write({ key: end, expected: 0, value: Buffer.from('') }, never)
      }
      let writing: Promise<void> | undefined
      const onOpen = (): void => {
        writing = write()
      }
      // kine on NATS keeps few changes of a key, so the watch has to be open before.
      const from = revisionAfter(await reader.currentRevision(never))
      for await (const { events } of reader.watch({ start: PREFIX, end: prefixEnd(PREFIX), from, onOpen }, never)) {
        for (const { value, modRevision } of events) if (value) stored.set(value.toString(), modRevision)
        if (events.some(event => event.key === end)) break
      }
      await writing
      expect(told.size).to.be.above(WRITES)
      expect([...told].filter(([value, revision]) => stored.get(value) !== revision)).to.deep.equal([])
    } finally {
      for (const backend of backends) await backend.close()
      await store.stop()
    }
  })
})
