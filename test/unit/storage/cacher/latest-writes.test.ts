import { expect } from 'chai'
import type { KubeObject } from '../../../../src/api/meta/object.ts'
import { LatestWrites } from '../../../../src/storage/cacher/latest-writes.ts'
import { key, type Revision, revision } from '../../../../src/storage/revision.ts'
import type { StoredObject } from '../../../../src/storage/storage.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { openCacher } from '../../../support/test-cacher.ts'
import { testPrefix } from '../../../support/test-codec.ts'
import { patience } from '../../../support/waiting.ts'

const at = (n: number): Revision => revision(n)
const stored = (n: number, length = 10): StoredObject =>
  ({ revision: at(n), json: () => ({ bytes: Buffer.alloc(length) }) }) as unknown as StoredObject
const A = key('/a')
const B = key('/b')

describe('an object that has just been written', () => {
  it('is known until the cache shows it', () => {
    const latest = new LatestWrites()
    const object = stored(5)
    latest.note(A, { object, outcome: 'updated' }, at(3))
    expect([latest.of(A, at(4)), latest.of(A, at(5)), latest.of(B, at(4))]).to.deep.equal([object, undefined, undefined])
  })
  for (const outcome of ['deleted', 'unchanged'] as const)
    it(`is forgotten when it is ${outcome}`, () => {
      const latest = new LatestWrites()
      latest.note(A, { object: stored(5), outcome: 'created' }, at(3))
      latest.note(A, { object: stored(6), outcome }, at(3))
      expect(latest.of(A, at(3))).to.equal(undefined)
    })
  it('is not kept if it is too large, or if there are too many', () => {
    const latest = new LatestWrites()
    latest.note(A, { object: stored(5, 100_000), outcome: 'created' }, at(3))
    expect(latest.of(A, at(3))).to.equal(undefined)
    for (let i = 0; i < 65; i++) latest.note(key(`/${i}`), { object: stored(10 + i), outcome: 'created' }, at(3))
    expect([latest.of(key('/63'), at(3)) === undefined, latest.of(key('/64'), at(3))]).to.deep.equal([false, undefined])
    latest.note(B, { object: stored(90), outcome: 'created' }, at(80))
    expect(latest.of(B, at(80))).to.not.equal(undefined)
  })

  it('is the start of the next write of the same object', async () => {
    const backend = new MemoryBackend()
    const cacher = openCacher(backend)
    await cacher.synced(patience())
    const storage = cacher.storageFor('configmaps')
    const { signal } = new AbortController()
    let reads = 0
    const get = backend.get.bind(backend)
    backend.get = (...given) => {
      reads++
      return get(...given)
    }
    const seen: (string | undefined)[] = []
    const write = (value: string) =>
      storage.write(
        key(`${testPrefix}ns/a`),
        async now => {
          seen.push((now?.object() as (KubeObject & { data?: { v?: string } }) | undefined)?.data?.v)
          const put: KubeObject = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace: 'ns' }, data: { v: value } }
          return { change: { put }, result: undefined }
        },
        signal,
      )
    for (const value of ['1', '2', '3']) await write(value)
    expect([seen, reads]).to.deep.equal([[undefined, '1', '2'], 0])
    await cacher.close()
    await backend.close()
  })
})
