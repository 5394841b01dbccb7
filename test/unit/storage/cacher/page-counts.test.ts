import { expect } from 'chai'
import { PageCounts } from '../../../../src/storage/page-counts.ts'
import type { Key } from '../../../../src/storage/revision.ts'
import { key, revision } from '../../../../src/storage/revision.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { openCacher } from '../../../support/test-cacher.ts'
import { everything, testCodec, testKey, testObject, testPrefix } from '../../../support/test-codec.ts'

const { signal } = new AbortController()

describe('storage/page-counts', () => {
  it('returns only counts of the same revision and prefix, and keeps the latest thousand', () => {
    const counts = new PageCounts()
    counts.remember(revision(5), testPrefix, testKey('a'), 7)
    expect(counts.from(revision(5), testPrefix, testKey('a'))).to.equal(7)
    expect(counts.from(revision(6), testPrefix, testKey('a'))).to.equal(undefined)
    expect(counts.from(revision(5), key(`${testPrefix}default/`), testKey('a'))).to.equal(undefined)
    for (let i = 0; i < 1100; i++) counts.remember(revision(9), testPrefix, testKey(`n${i}`), i)
    expect(counts.from(revision(5), testPrefix, testKey('a'))).to.equal(undefined)
    expect(counts.from(revision(9), testPrefix, testKey('n1099'))).to.equal(1099)
    counts.forget()
    expect(counts.from(revision(9), testPrefix, testKey('n1099'))).to.equal(undefined)
  })

  for (const prefix of [testPrefix, key(`${testPrefix}b/`)])
    it(`counts the remaining keys below ${prefix} over a chain of pages, despite concurrent writes`, async () => {
      const backend = new MemoryBackend()
      const put = (name: string, namespace: string) =>
        backend.apply([{ key: testKey(name, namespace), value: testCodec.encode(testObject(name, {}, undefined, namespace)) }])
      for (let i = 0; i < 25; i++) for (const namespace of ['a', 'b', 'c']) put(`n${100 + i}`, namespace)
      const cacher = openCacher(backend)
      const storage = cacher.storageFor('configmaps')
      const total = (await storage.list(prefix, { at: 'latest', predicate: everything, limit: 0 }, signal)).items.length
      const first = await storage.list(prefix, { at: 'latest', predicate: everything, limit: 4 }, signal)
      let given = 4
      let next: Key | undefined = first.nextKey
      expect(first.remaining).to.equal(total - given)
      expect((await storage.list(prefix, { at: { exactly: first.revision }, predicate: everything, limit: 7 }, signal)).remaining).to.equal(
        total - 7,
      )
      while (next !== undefined) {
        put(`m${given}`, 'b')
        const query = { at: { exactly: first.revision }, predicate: everything, limit: 4, startKey: next }
        const page = await storage.list(prefix, query, signal)
        given += page.items.length
        expect(page.remaining ?? 0).to.equal(total - given)
        next = page.nextKey
      }
      expect(given).to.equal(total)
      await cacher.close()
      await backend.close()
    })
})
