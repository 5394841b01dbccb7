import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { codecOf } from '../../../src/registry/codec.ts'
import { remoteViewOf } from '../../../src/registry/remote-view.ts'
import { key, revision } from '../../../src/storage/revision.ts'
import type { StorageEvent, StoredObject, Watcher } from '../../../src/storage/storage.ts'
import { Stored } from '../../../src/storage/stored-object.ts'
import { type AnyObject, loose } from '../../support/any-object.ts'
import { failureText, link, linkResource, linkVersion, reviewed } from '../../support/conversion.ts'

/** A definition of links, with the number of objects of each call of its webhook. */
function world(answer: (review: AnyObject) => unknown = review => reviewed(review)) {
  const calls: number[] = []
  const definition = linkResource(review => {
    calls.push(review.request.objects.length)
    return answer(review)
  })
  return {
    definition,
    calls,
    v1: remoteViewOf(definition, linkVersion(definition, 'v1'), definition.converter!),
    v2: remoteViewOf(definition, linkVersion(definition, 'v2'), definition.converter!),
  }
}

let revisions = 0
function stored(definition: ResourceDefinition, object: AnyObject): Stored {
  const codec = codecOf(definition, 'test')
  return Stored.read(key(`/registry/example.com/links/ns/${object.metadata.name}`), revision(++revisions), codec, codec.encode(object))
}
const links = (definition: ResourceDefinition, count: number): Stored[] =>
  Array.from({ length: count }, (_, i) => stored(definition, link('v1', `l${i}`, { hostPort: `h${i}:1` })))

/** A watcher that delivers the batches. */
const watcherOf = (batches: readonly (readonly StorageEvent[])[]): Watcher => ({
  close: () => {},
  deliver: async take => {
    for (const batch of batches) if (!(await take(batch))) return
  },
})

describe('RemoteView', () => {
  it('returns objects of its own version without a call', async () => {
    const { definition, calls, v1 } = world()
    const [one] = links(definition, 1)
    expect(await v1.object(one!)).to.equal(one)
    expect(calls).to.deep.equal([])
  })

  it('returns converted objects with the revision and key of the stored ones', async () => {
    const { definition, v2 } = world()
    const [one] = links(definition, 1)
    const shown = await v2.object(one!)
    expect(shown.object()).to.deep.equal({
      ...link('v2', 'l0', { host: 'h0', n: 7, port: '1' }),
      metadata: { name: 'l0', namespace: 'ns', uid: 'uid-l0', resourceVersion: String(one!.revision) },
    })
    expect([shown.key, shown.revision]).to.deep.equal([one!.key, one!.revision])
    expect(shown.json().bytes.toString()).to.match(/^\{"apiVersion":"example.com\/v2","kind":"Link","metadata":/)
    const { namespace, name, uid, labels, fields } = shown.attributes()
    expect({ namespace, name, uid, labels, fields }).to.deep.equal({
      namespace: 'ns',
      name: 'l0',
      uid: 'uid-l0',
      labels: {},
      fields: { 'metadata.name': 'l0', 'metadata.namespace': 'ns', 'spec.host': 'h0' },
    })
    const encoder = { id: 'test', encode: ({ spec }: AnyObject) => ({ bytes: Buffer.from(spec.host), header: 0 }) }
    expect(shown.encoded(encoder).bytes.toString()).to.equal('h0')
  })

  it('calls the webhook for each get', async () => {
    let count = 0
    const { definition, calls, v2 } = world(review => {
      const answer = reviewed(review) as AnyObject
      for (const object of answer.response.convertedObjects) object.spec.n = ++count
      return answer
    })
    const [one] = links(definition, 1)
    const counts = async () => loose((await v2.object(one!)).object()).spec.n
    await v2.objects([one!])
    expect([await counts(), await counts(), ...(await Promise.all([counts(), counts()]))]).to.deep.equal([2, 3, 4, 5])
    const encoder = { id: 'test', encode: ({ spec }: AnyObject) => ({ bytes: Buffer.from(String(spec.n)), header: 0 }) }
    expect((await v2.object(one!)).encoded(encoder).bytes.toString()).to.equal('6')
    expect((await v2.object(one!)).encoded(encoder).bytes.toString()).to.equal('7')
    expect((await v2.cachedObject(one!)).encoded(encoder).bytes.toString()).to.equal('1')
    expect(calls).to.have.length(7)
  })

  it('converts in groups, with one call each, and once for concurrent lists', async () => {
    const { definition, calls, v2 } = world()
    const many = links(definition, 620)
    const [shown, again, one] = await Promise.all([v2.objects(many), v2.objects(many.slice(0, 3)), v2.cachedObject(many[1]!)])
    expect(calls).to.deep.equal([500, 120])
    expect(shown.map(object => object.attributes().name)).to.deep.equal(many.map((_, i) => `l${i}`))
    expect(again[1]).to.equal(shown[1])
    expect(one).to.equal(shown[1])
    expect((await v2.objects(many))[7]).to.equal(shown[7])
    expect(calls).to.have.length(2)
  })

  it('converts each object by itself if a call for several fails', async () => {
    const { definition, calls, v2 } = world(review => {
      const answer = reviewed(review) as AnyObject
      answer.response.convertedObjects.reverse()
      return answer
    })
    const shown = await v2.objects(links(definition, 3))
    expect(shown.map(object => object.attributes().name)).to.deep.equal(['l0', 'l1', 'l2'])
    expect(calls).to.deep.equal([3, 1, 1, 1])
  })

  it('bounds the bytes of a call', async () => {
    const { definition, calls, v2 } = world()
    const pad = 'x'.repeat(1 << 20)
    await v2.objects(
      Array.from({ length: 6 }, (_, i) => stored(definition, link('v1', `l${i}`, { hostPort: `h${i}:1` }, { annotations: { pad } }))),
    )
    expect(calls).to.deep.equal([4, 2])
  })

  it('keeps bytes with the object, within the budget of derived encodings', async () => {
    const { definition, v2 } = world()
    const [one] = links(definition, 1)
    const { derived } = one!.codec
    const before = derived.bytes
    const shown = await v2.cachedObject(one!)
    expect(derived.bytes - before).to.be.greaterThan(shown.json().bytes.length)
    expect(one!.kept('remote;example.com/v2')?.bytes).to.equal(shown.json().bytes)
  })

  it('fails all waiting callers, and calls again afterwards', async () => {
    let broken = true
    const { definition, calls, v2 } = world(review => (broken ? {} : reviewed(review)))
    const [one] = links(definition, 1)
    const both = await Promise.all([failureText(v2.cachedObject(one!)), failureText(v2.objects([one!]))])
    expect(both[0]).to.contain('conversion webhook for example.com/v1, Kind=Link failed: expected webhook response')
    expect(both[1]).to.equal(both[0])
    expect(calls).to.deep.equal([1])
    broken = false
    expect(loose((await v2.object(one!)).object()).spec.host).to.equal('h0')
  })

  it('converts objects that were stored in a former storage version', async () => {
    const { definition, calls } = world()
    const older = linkResource(review => reviewed(review), 'v2')
    const codec = codecOf(definition, 'test')
    const one = Stored.read(key('/registry/x'), revision(9), codec, codecOf(older, 'test').encode(link('v2', 'old', { host: 'h' })))
    expect(one.object()).to.deep.include({ apiVersion: 'example.com/v2', spec: { host: 'h', extra: 'of v2' } })
    const shown = await remoteViewOf(definition, linkVersion(definition, 'v1'), definition.converter!).object(one)
    expect(shown.object().spec).to.deep.equal({ hostPort: 'h' })
    expect(calls).to.deep.equal([1])
  })

  describe('in watches', () => {
    const bookmark = { type: 'bookmark', revision: revision(99), initialEnd: false } as const
    const added = (object: StoredObject): StorageEvent => ({ type: 'added', object, revision: object.revision })

    it('deliver batches in order, converted once for all watches', async () => {
      const { definition, calls, v2 } = world()
      const many = links(definition, 4)
      const batches = [many.slice(0, 2).map(added), [bookmark], many.slice(2).map(added)]
      const given = async (): Promise<(readonly StorageEvent[])[]> => {
        const seen: (readonly StorageEvent[])[] = []
        await v2.watcher(watcherOf(batches)).deliver(batch => seen.push(batch) > 0)
        return seen
      }
      const [first, second] = await Promise.all([given(), given()])
      expect(calls).to.deep.equal([2, 2])
      expect(first).to.deep.equal(second)
      // One array, and one view of each object, so that frames are shared.
      expect(first[0]).to.equal(second[0])
      const objects = (batches: readonly (readonly StorageEvent[])[]) =>
        batches.flat().map(event => event.type !== 'bookmark' && event.object)
      expect(objects(first).every((object, at) => object === objects(second)[at])).to.equal(true)
      expect(first.flat().map(event => (event.type === 'bookmark' ? event : loose(event.object.object()).spec.host))).to.deep.equal([
        'h0',
        'h1',
        bookmark,
        'h2',
        'h3',
      ])
    })

    it('end with the error of a conversion', async () => {
      const { definition, v2 } = world(review =>
        review.request.objects.some((object: AnyObject) => object.metadata.name === 'l1') ? {} : reviewed(review),
      )
      const many = links(definition, 3)
      const seen: StorageEvent[] = []
      const text = await failureText(v2.watcher(watcherOf(many.map(one => [added(one)]))).deliver(batch => seen.push(...batch) > 0))
      expect(text).to.contain('failed: expected webhook response')
      expect(seen).to.have.length(1)
    })
  })
})
