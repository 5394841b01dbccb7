import { expect } from 'chai'
import type { DeviceTaintRule, PoolStatus, ResourcePoolStatusRequestStatus } from '../../../../../src/api/resource/v1alpha3.types.ts'
import type { ResourceClaim } from '../../../../../src/api/resource/v1beta2.types.ts'
import { type PoolObjects, requestEnd, requestStatus } from '../../../../../src/cluster/controllers/resourcepoolstatus/pool-status.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { deviceClaimOf, sliceOf } from '../../../../support/device-objects.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')

/** A claim that has devices of pools, as `POOL/DEVICE`. */
const allocated = (name: string, devices: readonly string[], parts: object = {}): ResourceClaim =>
  deviceClaimOf(name, [], {
    status: {
      allocation: {
        devices: {
          results: devices.map(text => {
            const [pool, device] = text.split('/')
            return { request: 'r', driver: 'd', pool, device, ...parts }
          }),
        },
      },
    },
  })

const rule = (deviceSelector: object | undefined, effect = 'NoSchedule'): DeviceTaintRule =>
  ({ metadata: { name: 'r' }, spec: { taint: { key: 'k', effect }, ...(deviceSelector && { deviceSelector }) } }) as never

function statusOf(
  objects: Partial<PoolObjects>,
  spec: object = {},
  release: Release = '1.37',
): ResourcePoolStatusRequestStatus | undefined {
  const request = { spec: { driver: 'd', limit: 100, ...spec } }
  return runAtOnce(requestStatus(request, { slices: [], claims: [], rules: [], ...objects }, release, NOW))
}

const poolsOf = (objects: Partial<PoolObjects>, spec?: object, release?: Release): PoolStatus[] =>
  statusOf(objects, spec, release)?.pools ?? []

/** Text of the counts of a pool: total, allocated, available, unavailable. */
const countsOf = ({ poolName, totalDevices, allocatedDevices, availableDevices, unavailableDevices }: PoolStatus): string =>
  `${poolName}: ${totalDevices} - ${allocatedDevices} - ${unavailableDevices} = ${availableDevices}`

describe('status of pools of devices', () => {
  it('counts the devices of the pools of a driver, sorted by name, up to a limit', () => {
    const slices = [sliceOf('b', ['x', 'y', 'z']), sliceOf('a', ['x']), sliceOf('c', ['x'], { driver: 'other' })]
    const claims = [allocated('one', ['b/x']), allocated('two', ['b/y'])]
    expect(statusOf({ slices, claims })).to.deep.equal({
      poolCount: 2,
      pools: [
        {
          driver: 'd',
          poolName: 'a',
          generation: 1,
          resourceSliceCount: 1,
          totalDevices: 1,
          allocatedDevices: 0,
          availableDevices: 1,
          unavailableDevices: 0,
          nodeName: 'a',
        },
        {
          driver: 'd',
          poolName: 'b',
          generation: 1,
          resourceSliceCount: 1,
          totalDevices: 3,
          allocatedDevices: 2,
          availableDevices: 1,
          unavailableDevices: 0,
          nodeName: 'b',
        },
      ],
      conditions: [
        {
          type: 'Complete',
          status: 'True',
          lastTransitionTime: '2030-01-01T00:00:00Z',
          reason: 'CalculationComplete',
          message: 'Calculated status for 2 pools',
        },
      ],
    })
    const limited = statusOf({ slices, claims }, { limit: 1 })
    expect([limited?.poolCount, limited?.pools?.map(countsOf)]).to.deep.equal([2, ['a: 1 - 0 - 0 = 1']])
    expect(poolsOf({ slices, claims }, { poolName: 'b' }).map(countsOf)).to.deep.equal(['b: 3 - 2 - 0 = 1'])
    expect(statusOf({ slices }, { driver: 'none' })).to.deep.include({ poolCount: 0, pools: [] })
  })

  it('counts the slices of the latest generation, and has no result while some of them are missing', () => {
    const pool = { name: 'p', generation: 2, resourceSliceCount: 2 }
    const [first, second] = [sliceOf('n', ['x'], { pool }), sliceOf('m', ['y', 'z'], { pool })]
    const outdated = sliceOf('old', ['a', 'b'], { pool: { name: 'p', generation: 1 } })
    expect(statusOf({ slices: [outdated, first] })).to.equal(undefined)
    const [status] = poolsOf({ slices: [outdated, first, second] })
    expect(status).to.include({ generation: 2, resourceSliceCount: 2, totalDevices: 3 })
    expect(status).not.to.have.property('nodeName')
    // A pool beyond the limit does not delay the others.
    expect(poolsOf({ slices: [sliceOf('a', ['x']), first] }, { limit: 1 }).map(countsOf)).to.deep.equal(['a: 1 - 0 - 0 = 1'])
  })

  it('counts a shared device once and no access of administrators from 1.37 on, and each allocation before', () => {
    const slices = [sliceOf('a', ['x', 'y', 'z'])]
    const claims = [allocated('one', ['a/x']), allocated('two', ['a/x']), allocated('three', ['a/y'], { adminAccess: true })]
    const counts = (release: Release): string[] => poolsOf({ slices, claims }, {}, release).map(countsOf)
    expect([counts('1.36'), counts('1.37')]).to.deep.equal([['a: 3 - 3 - 0 = 0'], ['a: 3 - 1 - 0 = 2']])
  })

  it('counts devices with taints of their driver or of rules as unavailable from 1.37 on', () => {
    const tainted = (name: string, effect: string) => ({ name, taints: [{ key: 'k', effect }] })
    const slices = [sliceOf('a', ['x', tainted('y', 'NoSchedule'), tainted('z', 'None'), 'v'])]
    const unavailable = (release: Release, ...rules: DeviceTaintRule[]) => poolsOf({ slices, rules }, {}, release)[0]?.unavailableDevices
    expect([unavailable('1.36'), unavailable('1.37')]).to.deep.equal([0, 1])
    expect(unavailable('1.37', rule({ device: 'x' }), rule({ device: 'y' }))).to.equal(2)
    expect(unavailable('1.37', rule({ pool: 'a' }, 'NoExecute'))).to.equal(4)
    expect(unavailable('1.37', rule(undefined), rule({ device: 'x' }, 'None'), rule({ driver: 'e' }))).to.equal(1)
  })

  describe('partitions of pools', () => {
    const counters = (memory: string) => ({ memory: { value: memory } })
    const sharedCounters = [{ name: 'gpu', counters: counters('80Gi') }]
    const partition = (name: string, type: string | undefined, memory: string) => ({
      name,
      ...(type !== undefined && { attributes: { profile: { string: type } } }),
      consumesCounters: [{ counterSet: 'gpu', counters: counters(memory) }],
    })
    const devices = [partition('full', 'full', '80Gi'), partition('half-0', 'half', '40Gi'), partition('half-1', 'half', '40Gi'), 'other']
    const named = { sharedCounters, partitionTypeAttribute: 'd/profile' }
    const summary = (objects: Partial<PoolObjects>, spec?: object): unknown => {
      const [pool] = poolsOf(objects, spec)
      return (
        pool?.validationError ??
        pool?.partitionSummary?.map(({ attribute, type, total, allocatable }) => [attribute, type, total, allocatable])
      )
    }

    it('sums those of a type, and how many more of them fit', () => {
      const slices = [sliceOf('a', devices, named)]
      expect(summary({ slices })).to.deep.equal([
        ['d/profile', 'full', 1, 1],
        ['d/profile', 'half', 2, 2],
      ])
      expect(summary({ slices, claims: [allocated('one', ['a/half-1'])] })).to.deep.equal([
        ['d/profile', 'full', 1, 0],
        ['d/profile', 'half', 2, 1],
      ])
      expect(summary({ slices, claims: [allocated('one', ['a/full'])] })).to.deep.equal([
        ['d/profile', 'full', 1, 0],
        ['d/profile', 'half', 2, 0],
      ])
    })

    it('uses the attribute of the request if no slice names one', () => {
      const slices = [sliceOf('a', devices, { sharedCounters })]
      expect(summary({ slices })).to.equal(undefined)
      expect(summary({ slices }, { defaultPartitionTypeAttribute: 'd/profile' })).to.deep.equal([
        ['d/profile', 'full', 1, 1],
        ['d/profile', 'half', 2, 2],
      ])
      const pool = { name: 'p', resourceSliceCount: 2 }
      const mixed = [
        sliceOf('a', [partition('x', 'full', '80Gi')], { ...named, pool }),
        sliceOf('b', [partition('y', 'half', '40Gi')], { pool }),
      ]
      expect(summary({ slices: mixed }, { defaultPartitionTypeAttribute: 'd/profile' })).to.deep.equal([['d/profile', 'full', 1, 1]])
    })

    for (const { title, given, error } of [
      {
        title: 'without counters',
        given: sliceOf('a', devices, { partitionTypeAttribute: 'd/profile' }),
        error: 'PartitionTypeMissing: pool d/a declares partitionTypeAttribute but publishes no sharedCounters',
      },
      {
        title: 'with a partition without a type',
        given: sliceOf('a', [...devices, partition('x', undefined, '1Gi')], named),
        error: 'PartitionTypeMissing: device "x" in pool d/a does not carry partition type attribute "d/profile"',
      },
      {
        title: 'with partitions of one type that differ',
        given: sliceOf('a', [...devices, partition('x', 'half', '39Gi')], named),
        error: 'PartitionCostMismatch: devices of partition type "half" in pool d/a consume different counters',
      },
      {
        title: 'with very many types',
        given: sliceOf(
          'a',
          Array.from({ length: 33 }, (_, i) => partition(`x${i}`, `t${i}`, '1Gi')),
          named,
        ),
        error: 'PartitionSummaryOverCap: pool d/a has 33 partition types, exceeding the maximum of 32',
      },
    ])
      it(`reports an error for a pool ${title}`, () => {
        const status = statusOf({ slices: [given] })
        expect(status?.pools?.[0]).to.include({ validationError: error, totalDevices: given.spec.devices?.length })
        expect(status?.pools?.[0]).not.to.have.property('partitionSummary')
        expect(status?.conditions?.[0]?.message).to.equal('Calculated status for 1 pools (1 incomplete)')
      })

    it('shortens an error to 256 bytes', () => {
      const type = 'ä'.repeat(200)
      const given = sliceOf('a', [partition('x', type, '1Gi'), partition('y', type, '2Gi')], named)
      const [pool] = poolsOf({ slices: [given] })
      expect(pool?.validationError).to.match(/^PartitionCostMismatch: devices of partition type "ä+$/)
      expect(Buffer.byteLength(pool?.validationError ?? '')).to.be.within(254, 256)
    })
  })

  it('sums the capacities of devices that claims share', () => {
    const shared = (name: string, capacity: Record<string, string>) => ({
      name,
      allowMultipleAllocations: true,
      capacity: Object.fromEntries(Object.entries(capacity).map(([key, value]) => [key, { value }])),
    })
    const slices = [sliceOf('a', [shared('x', { memory: '80Gi' }), shared('y', { memory: '80Gi', cores: '4' }), 'z'])]
    const claims = [
      allocated('one', ['a/x'], { consumedCapacity: { memory: '30Gi' } }),
      allocated('two', ['a/x'], { consumedCapacity: { memory: '60Gi', cores: '5' } }),
    ]
    const [pool] = poolsOf({ slices, claims })
    expect(pool?.shareableSummary).to.deep.equal({
      fullyAvailableDevices: 1,
      partiallyAvailableDevices: 1,
      capacity: [
        { name: 'cores', total: '4', consumed: '5', available: '0' },
        { name: 'memory', total: '160Gi', consumed: '90Gi', available: '70Gi' },
      ],
    })
    expect(poolsOf({ slices: [sliceOf('b', ['x'])] })[0]).not.to.have.property('shareableSummary')
    const many = shared('x', Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`c${i}`, '1'])))
    expect(poolsOf({ slices: [sliceOf('a', [many])] })[0]?.validationError).to.equal(
      'ShareableSummaryOverCap: pool d/a has 33 shareable capacity keys, exceeding the maximum of 32',
    )
  })

  it('yields while it looks at many slices and claims', () => {
    const slices = Array.from({ length: 2000 }, (_, i) => sliceOf(`s${i}`, ['x']))
    const claims = Array.from({ length: 2000 }, (_, i) => allocated(`c${i}`, ['s0/x']))
    const objects = { slices, claims, rules: [] }
    const steps = [...requestStatus({ spec: { driver: 'd', limit: 1000 } }, objects, '1.37', NOW)]
    expect(steps.length).to.be.greaterThan(8)
  })

  it('ends an hour after completion, and a day after creation without one', () => {
    const metadata = { name: 'r', creationTimestamp: '2030-01-01T00:00:00Z' }
    const request = { metadata, spec: { driver: 'd', limit: 100 } }
    const condition = { type: 'Complete', status: 'True' as const, lastTransitionTime: '2030-01-01T05:00:00Z', reason: 'r', message: '' }
    const hours = (end: number): number => (end - NOW) / 3_600_000
    expect(hours(requestEnd(request as never))).to.equal(24)
    expect(hours(requestEnd({ ...request, status: { poolCount: 0, conditions: [condition] } } as never))).to.equal(6)
    expect(hours(requestEnd({ ...request, status: { poolCount: 0 } } as never))).to.equal(1)
  })
})
