import { expect } from 'chai'
import type { EndpointSlice } from '../../../../src/api/discovery/v1.types.ts'
import { SliceTracker } from '../../../../src/cluster/shared/slice-tracker.ts'
import { recycled } from '../../../../src/cluster/shared/slice-writer.ts'
import { sliceOf } from '../../../support/slices.ts'

const KEY = 'default/web'
const slice = (name: string, generation = 1, addressType: EndpointSlice['addressType'] = 'IPv4'): EndpointSlice =>
  sliceOf(name, [], { addressType, metadata: { generation, labels: { 'kubernetes.io/service-name': 'web' } } })

describe('tracker of slices', () => {
  it('finds an informer stale that lacks a write', () => {
    const tracker = new SliceTracker()
    expect(tracker.areStale(KEY, [])).to.equal(false)
    tracker.wrote(slice('s', 2))
    expect([[], [slice('s', 1)], [slice('s', 2)], [slice('s', 3), slice('t')]].map(slices => tracker.areStale(KEY, slices))).to.deep.equal([
      true,
      true,
      false,
      false,
    ])
    tracker.removed(slice('s', 2))
    expect([tracker.areStale(KEY, [slice('s', 2)]), tracker.areStale(KEY, [])]).to.deep.equal([true, false])
  })

  it('tells changes of others from those of the controller', () => {
    const tracker = new SliceTracker()
    expect(tracker.isForeign(slice('s'))).to.equal(true)
    tracker.wrote(slice('s', 2))
    expect([tracker.isForeign(slice('s', 2)), tracker.isForeign(slice('s', 3)), tracker.wasLost(slice('s', 2))]).to.deep.equal([
      false,
      true,
      true,
    ])
    tracker.wrote(slice('s', 2))
    tracker.removed(slice('s', 2))
    expect(tracker.wasLost(slice('s', 2))).to.equal(false)
  })
})

describe('changes of slices', () => {
  it('reuse the names of slices that are no longer needed, for the same address type', () => {
    const made = { ...slice('', 0), metadata: { generateName: 'web-', namespace: 'default' } }
    const changes = recycled(
      { create: [made], update: [], remove: [slice('six', 1, 'IPv6'), slice('foreign'), slice('four')] },
      { mayRecycle: each => each.metadata.name !== 'foreign' },
    )
    expect(changes.create).to.deep.equal([])
    expect(changes.update.map(({ metadata }) => metadata)).to.deep.equal([{ name: 'four', namespace: 'default' }])
    expect(changes.remove.map(({ metadata }) => metadata.name)).to.deep.equal(['six', 'foreign'])
  })
  it('reuse names for each address type, whatever the order of new slices', () => {
    const made = (['IPv4', 'IPv6'] as const).map(type => ({ ...slice('', 0, type), metadata: { generateName: 'web-' } }))
    const { create, update, remove } = recycled(
      { create: made, update: [], remove: [slice('four'), slice('six', 1, 'IPv6')] },
      { mayRecycle: () => true },
    )
    expect([create, remove]).to.deep.equal([[], []])
    expect(update.map(({ addressType, metadata }) => `${addressType} ${metadata.name}`)).to.deep.equal(['IPv4 four', 'IPv6 six'])
  })
})
