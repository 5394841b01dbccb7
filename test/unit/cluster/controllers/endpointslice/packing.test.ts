import { expect } from 'chai'
import type { Endpoint, EndpointSlice } from '../../../../../src/api/discovery/v1.types.ts'
import { packEndpoints } from '../../../../../src/cluster/controllers/endpointslice/packing.ts'
import { hasOtherLabels } from '../../../../../src/cluster/controllers/endpointslice/slice.ts'
import { endpointKey, type SliceChanges } from '../../../../../src/cluster/shared/endpoint-slices.ts'
import { runAtOnce, type Steps } from '../../../../../src/lib/steps.ts'
import { countedSteps, noSteps } from '../../../../support/counted-steps.ts'
import { serviceOf, sliceOf } from '../../../../support/slices.ts'

const endpoints = (from: number, count: number): Endpoint[] =>
  Array.from({ length: count }, (_, i) => ({ addresses: [`10.0.${(from + i) >> 8}.${(from + i) & 255}`], conditions: { ready: true } }))

/** Slices of the given sizes, with endpoints from 0 on. */
function slicesOfSizes(sizes: readonly number[]): EndpointSlice[] {
  let next = 0
  return sizes.map((size, i) => {
    next += size
    return sliceOf(`s${i}`, endpoints(next - size, size))
  })
}

const make = (): Steps<EndpointSlice> => noSteps(sliceOf('', []))

/** @param differs whether the labels of a slice must be changed. */
const pack = (existing: EndpointSlice[], desired: Endpoint[], differs = (_: EndpointSlice): boolean => false): SliceChanges =>
  runAtOnce(
    packEndpoints({
      existing,
      desired: new Map(desired.map(each => [endpointKey(each), each])),
      max: 100,
      labels: { a: 'b' },
      hasOtherLabels: slice => noSteps(differs(slice)),
      make,
    }),
  )

const shapeOf = ({ create, update, remove }: SliceChanges): object => ({
  create: create.map(slice => slice.endpoints?.length),
  update: Object.fromEntries(update.map(({ metadata, endpoints: has }) => [metadata.name, has?.length])),
  remove: remove.map(({ metadata }) => metadata.name),
})

describe('packing of endpoints into slices', () => {
  const cases: [string, number[], number, object][] = [
    [
      'fills the slice that gets fullest with what is left after whole slices',
      [62, 61],
      127,
      { create: [100], update: { s0: 89 }, remove: [] },
    ],
    ['makes a new slice rather than updating two', [74, 74], 152, { create: [100, 52], update: {}, remove: [] }],
    ['makes a new slice if no slice has room for all', [95, 95], 10, { create: [10], update: {}, remove: [] }],
    ['never overfills a full slice', [100], 1, { create: [1], update: {}, remove: [] }],
    ['changes nothing if nothing is added', [30, 20], 0, { create: [], update: {}, remove: [] }],
  ]
  for (const [title, sizes, add, expected] of cases)
    it(title, () => {
      const total = sizes.reduce((sum, size) => sum + size, 0)
      expect(shapeOf(pack(slicesOfSizes(sizes), endpoints(0, total + add)))).to.deep.equal(expected)
    })

  it('fills slices that change anyway first', () => {
    const changed = endpoints(0, 60).map((each, i) => (i === 0 ? { ...each, conditions: { ready: false } } : each))
    const changes = pack(slicesOfSizes([60, 80]), [...changed, ...endpoints(60, 100)])
    expect(shapeOf(changes)).to.deep.equal({ create: [], update: { s0: 80 }, remove: [] })
    expect(changes.update[0]?.endpoints?.[0]?.conditions).to.deep.equal({ ready: false })
  })

  it('deletes a slice without endpoints, and leaves the slices of the informer unchanged', () => {
    const existing = slicesOfSizes([2, 3])
    expect(shapeOf(pack(existing, endpoints(2, 2)))).to.deep.equal({ create: [], update: { s1: 2 }, remove: ['s0'] })
    expect(existing.map(slice => slice.endpoints?.length)).to.deep.equal([2, 3])
  })

  it('updates a slice whose labels differ', () => {
    const { update } = pack(slicesOfSizes([2, 3]), endpoints(0, 5), ({ metadata }) => metadata.name === 's1')
    expect(update.map(({ metadata }) => [metadata.name, metadata.labels])).to.deep.equal([['s1', { a: 'b' }]])
  })

  it('takes a step for each slice', () => {
    const existing = slicesOfSizes([100, 100, 100])
    const desired = new Map(endpoints(0, 500).map(each => [endpointKey(each), each]))
    const service = serviceOf()
    const steps = packEndpoints({
      existing,
      desired,
      max: 100,
      labels: {},
      hasOtherLabels: slice => hasOtherLabels(slice, service),
      make,
    })
    expect(countedSteps(steps).yields).to.equal(5)
  })
})
