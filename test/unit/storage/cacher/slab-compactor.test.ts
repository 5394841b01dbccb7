import { expect } from 'chai'
import { FanOut } from '../../../../src/storage/cacher/fan-out.ts'
import { ResourceCache } from '../../../../src/storage/cacher/resource-cache.ts'
import { SlabCompactor } from '../../../../src/storage/cacher/slab-compactor.ts'
import { plainReports } from '../../../../src/storage/corrupt.ts'
import { revision } from '../../../../src/storage/revision.ts'
import { Slabs } from '../../../../src/storage/slab.ts'
import { testResource } from '../../../support/test-cacher.ts'
import { testCodec, testKey, testObject } from '../../../support/test-codec.ts'

describe('storage/cacher/slab-compactor', () => {
  it('moves the few objects that outlive their slab', async () => {
    const young = new Slabs()
    const cache = new ResourceCache(testResource, { windowMs: 0, bytes: 1 }, young, new FanOut(), plainReports)
    cache.replace(ResourceCache.loading(), revision(1), 0)
    let at = 1
    const filler = 'x'.repeat(10_000)
    const write = (name: string) => {
      const mod = revision(++at)
      cache.apply(
        {
          type: 'put',
          key: testKey(name),
          modRevision: mod,
          createRevision: mod,
          value: testCodec.encode(testObject(name, { filler, at: String(at) })),
        },
        0,
      )
    }
    for (let i = 0; i < 40; i++) {
      write(`static-${i}`)
      for (let j = 0; j < 60; j++) write('busy')
    }
    const slabsOf = () => new Set([...cache.tree.values()].map(object => object.json().bytes.buffer)).size
    const contents = () => [...cache.tree.values()].map(object => object.json().bytes.toString())
    const [before, text] = [slabsOf(), contents()]
    await new SlabCompactor(young).run([cache])
    expect(before).to.be.greaterThan(20)
    expect(slabsOf()).to.be.lessThan(4)
    expect(contents()).to.deep.equal(text)
  })
})
