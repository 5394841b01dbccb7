import { expect } from 'chai'
import type { Framing } from '../../../src/endpoints/forms/framing.ts'
import { FramedBatch, SharedFrames } from '../../../src/endpoints/shared-frames.ts'
import { revision } from '../../../src/storage/revision.ts'
import type { StorageEvent, StoredObject } from '../../../src/storage/storage.ts'

let made = 0
const framing = (id: string | undefined, bytes = 10): Framing => ({
  contentType: '',
  messages: { text: true, leadBytes: 0 },
  id,
  object: () => {
    made++
    return Buffer.alloc(bytes)
  },
  bookmark: () => Buffer.alloc(5),
  error: () => Buffer.alloc(1),
})
const added = (n: number): StorageEvent => ({ type: 'added', object: {} as StoredObject, revision: revision(n) })

describe('SharedFrames', () => {
  let frames: SharedFrames
  const json = framing('json')
  beforeEach(() => {
    frames = new SharedFrames()
    made = 0
  })

  it('finds a batch by its events', async () => {
    const [a, b] = [added(1), added(2)]
    const framed = await frames.of(json, [a, b])
    expect(await frames.of(json, [a, b])).to.equal(framed)
    expect(await frames.of(framing('json'), [a, b])).to.equal(framed)
    expect(made).to.equal(2)
  })

  it('finds the frames of single events in other batches', async () => {
    const [a, b] = [added(1), added(2)]
    const [of] = (await frames.of(json, [a, b])).frames
    expect((await frames.of(json, [a])).frames).to.deep.equal([of])
    expect(made).to.equal(2)
  })

  it('copies pieces instead of making a frame', async () => {
    const batch = [added(1), added(2)]
    const ready = { ...json, pieces: (type: string) => [Buffer.from(type), Buffer.from('\n')] }
    const framed = await frames.of(ready, batch)
    expect(framed.parts(1000).map(({ joined }) => joined.toString())).to.deep.equal(['ADDED\nADDED\n'])
    expect(framed.lengths).to.deep.equal([6, 6])
    expect(await frames.of(ready, batch)).to.equal(framed)
    expect(made).to.equal(0)
    await frames.of({ ...ready, pieces: () => undefined }, [added(3)])
    expect(made).to.equal(1)
  })

  it('makes new frames for another form, and always for a form that is not shared', async () => {
    const batch = [added(1)]
    for (const form of [json, framing('cbor'), framing(undefined), framing(undefined)]) await frames.of(form, batch)
    expect(made).to.equal(4)
  })

  it('distinguishes types of events on the same object', async () => {
    const event = added(1)
    await frames.of(json, [event])
    await frames.of(json, [{ ...event, type: 'deleted' } as StorageEvent])
    expect(made).to.equal(2)
  })

  it('limits the number and the bytes of batches', async () => {
    const batch = [added(1)]
    const first = await frames.of(json, batch)
    for (let n = 2; n < 9; n++) await frames.of(json, [added(n)])
    expect(await frames.of(json, batch)).to.equal(first)
    await frames.of(json, [added(9)])
    expect(await frames.of(json, batch)).not.to.equal(first)
    const large = framing('large', 10 << 20)
    const [one, other] = [[added(10)], [added(11)]]
    const framed = await frames.of(large, one)
    expect(await frames.of(large, one)).to.equal(framed)
    await frames.of(large, other)
    expect(await frames.of(large, one)).not.to.equal(framed)
  })

  it('ends before the first event that the form cannot represent', async () => {
    const form = { ...json, object: (type: string) => (type === 'DELETED' ? undefined : Buffer.alloc(1)) }
    const batch = [added(1), { ...added(2), type: 'deleted' } as StorageEvent, added(3)]
    expect((await frames.of(form, batch)).frames).to.have.length(1)
  })

  it('makes slow frames in turns', async () => {
    const slow = {
      ...json,
      object: () => {
        for (const until = performance.now() + 12; performance.now() < until; );
        made++
        return Buffer.alloc(1)
      },
    }
    const batch = [1, 2, 3, 4].map(added)
    const framing = frames.of(slow, batch)
    // The turn may not have measured yet that it takes long.
    expect(made).to.be.below(3)
    const framed = await framing
    expect(framed.frames).to.have.length(4)
    expect(await frames.of(slow, batch)).to.equal(framed)
  })
})

describe('FramedBatch', () => {
  const lengths = (batch: FramedBatch, most: number): number[] => batch.parts(most).map(part => part.length)

  it('is divided into parts of a given length, except for longer frames', () => {
    const framed = () => new FramedBatch([40, 40, 40, 200, 10, 10].map(size => Buffer.alloc(size)))
    expect(lengths(framed(), 100)).to.deep.equal([80, 40, 200, 20])
    expect(lengths(framed(), 1000)).to.deep.equal([340])
    expect(lengths(new FramedBatch([Buffer.alloc(200)]), 100)).to.deep.equal([200])
    expect(new FramedBatch([]).parts(100)).to.deep.equal([])
  })

  it('is divided once, by the first caller', () => {
    const batch = new FramedBatch([40, 40, 40].map(size => Buffer.alloc(size)))
    expect(batch.parts(100)).to.have.length(2)
    expect(batch.parts(1000)).to.equal(batch.parts(100))
  })
})
