import { expect } from 'chai'
import type { AllocationResult, DeviceClass, ResourceClaim, ResourceSlice } from '../../../../../src/api/resource/v1beta2.types.ts'
import {
  type AllocationRules,
  deviceAllocator,
  NodeAllocationError,
} from '../../../../../src/cluster/scheduler/devices/device-allocator.ts'
import { SearchTimeout, StepBudget } from '../../../../../src/cluster/scheduler/devices/device-search.ts'
import { deviceMatcher } from '../../../../../src/cluster/scheduler/devices/device-selectors.ts'
import type { AllocatedDevices } from '../../../../../src/cluster/scheduler/devices/shared-capacities.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { parseQuantity } from '../../../../../src/meta/quantity.ts'
import { deviceClaimOf, deviceClassOf, requestOf, sliceOf } from '../../../../support/device-objects.ts'
import { nodeOf } from '../../../../support/scheduling.ts'

const RULES: AllocationRules = {
  countsOtherNodes: true,
  skipsUnusablePools: true,
  recordsTolerations: true,
  partitionable: true,
  compatibilityGroups: true,
  optionalNodeOperations: true,
  adminAccess: true,
  prioritizedList: true,
  taints: true,
  consumableCapacity: true,
  sortsPools: true,
  bindingConditions: true,
  fractionalCapacity: false,
  checkedCapacity: false,
  marksAdminDevices: true,
}

interface Given {
  readonly claims: readonly ResourceClaim[]
  readonly slices: readonly ResourceSlice[]
  readonly allocated?: readonly string[]
  readonly shared?: AllocatedDevices['shared']
  readonly rules?: Partial<AllocationRules>
  readonly deviceClass?: object
  readonly node?: string
}

const NODES = { a: nodeOf('a', { labels: { zone: 'z1' } }), b: nodeOf('b', { labels: { zone: 'z2' } }) }

function allocate({
  claims,
  slices,
  allocated = [],
  shared = new Map(),
  rules,
  deviceClass = {},
  node = 'a',
}: Given): AllocationResult[] | undefined {
  const gpu = deviceClassOf(deviceClass) as DeviceClass
  const state = {
    slices,
    allocated: { exclusive: new Set(allocated), shared },
    classOf: (name: string) => (name === 'gpu' ? gpu : undefined),
  }
  const on = NODES[node as keyof typeof NODES]
  const found = runAtOnce(deviceAllocator(claims, state, { ...RULES, ...rules }, deviceMatcher('1.35', true))(on))
  return found?.map(({ result }) => result)
}

/** Returns the devices of each claim as `REQUEST=DEVICE`. */
const chosen = (given: Given): string[][] | undefined =>
  allocate(given)?.map(({ devices }) => (devices.results ?? []).map(({ request, device }) => `${request}=${device}`))

const cel = (expression: string): object => ({ cel: { expression } })

describe('allocation of devices', () => {
  it('chooses the first devices that are free, for all claims', () => {
    const claims = [deviceClaimOf('c1', [requestOf('r', { count: 2 })]), deviceClaimOf('c2', [requestOf('r')])]
    const slices = [sliceOf('a', ['1', '2', '3', '4'])]
    expect(chosen({ claims, slices, allocated: ['d/a/2'] })).to.deep.equal([['r=1', 'r=3'], ['r=4']])
    expect(chosen({ claims, slices, allocated: ['d/a/2', 'd/a/1'] })).to.equal(undefined)
    expect(chosen({ claims, slices, node: 'b' }), 'of another node').to.equal(undefined)
  })

  it('selects by the expressions of class and request, also in v1beta1', () => {
    const device = (name: string, model: string) => ({
      name,
      basic: { attributes: { model: { string: model }, 'd/v': { version: '1.2.3' } } },
    })
    const slices = [sliceOf('a', [device('1', 'x'), device('2', 'y'), device('3', 'y')])]
    const selectors = [
      cel("'d' in device.attributes && !('e' in device.attributes) && device.attributes['d'].v.isGreaterThan(semver('1.0.0'))"),
    ]
    const claims = [deviceClaimOf('c', [{ name: 'r', deviceClassName: 'gpu', selectors }])]
    expect(chosen({ claims, slices, deviceClass: { selectors: [cel("device.attributes['d'].model == 'y'")] } })).to.deep.equal([['r=2']])
    expect(() => chosen({ claims, slices, deviceClass: { selectors: [cel("device.attributes['other'].model == 'y'")] } })).to.throw(
      'class gpu: selector #0: CEL runtime error: no such key: model',
    )
  })

  it('takes all devices or none in the mode All', () => {
    const claims = [deviceClaimOf('c', [requestOf('r', { allocationMode: 'All' })])]
    expect(chosen({ claims, slices: [sliceOf('a', ['1', '2'])] })).to.deep.equal([['r=1', 'r=2']])
    expect(chosen({ claims, slices: [sliceOf('a', ['1', '2'])], allocated: ['d/a/2'] })).to.equal(undefined)
    expect(chosen({ claims, slices: [] })).to.equal(undefined)
    const updated = [sliceOf('a', ['1'], { pool: { resourceSliceCount: 2 } })]
    expect(() => chosen({ claims, slices: updated })).to.throw(
      'claim default/c, request r: asks for all devices, but resource pool d/a is currently being updated',
    )
  })

  it('leaves out old generations, and incomplete and invalid pools from 1.35 on', () => {
    const claims = [deviceClaimOf('c', [requestOf('r')])]
    const pool = (generation: number, resourceSliceCount = 1) => ({ name: 'p', generation, resourceSliceCount })
    const replaced = [sliceOf('s1', ['old'], { nodeName: 'a', pool: pool(1) }), sliceOf('s2', ['new'], { nodeName: 'a', pool: pool(2) })]
    expect(chosen({ claims, slices: replaced })).to.deep.equal([['r=new']])
    const incomplete = [sliceOf('s', ['1'], { nodeName: 'a', pool: pool(1, 2) })]
    expect(chosen({ claims, slices: incomplete })).to.equal(undefined)
    expect(
      chosen({ claims, slices: [...incomplete, sliceOf('t', ['2'], { nodeName: 'b', pool: pool(1, 2) })] }),
      'of two nodes',
    ).to.deep.equal([['r=1']])
    const before = { countsOtherNodes: false, skipsUnusablePools: false }
    expect(chosen({ claims, slices: incomplete, rules: before })).to.deep.equal([['r=1']])
    expect(() => chosen({ claims, slices: [sliceOf('a', ['1', '1'])] })).to.throw(
      NodeAllocationError,
      'invalid resource pools were encountered',
    )
    expect(() => chosen({ claims, slices: [sliceOf('a', ['1', '1'])], rules: before })).to.throw(
      'pool a is invalid: duplicate device name 1',
    )
  })

  it('restricts the claim to the nodes that reach the devices', () => {
    const claims = [deviceClaimOf('c', [requestOf('r')])]
    const selectors = (slice: ResourceSlice, node = 'a') =>
      allocate({ claims, slices: [slice], node })?.map(({ nodeSelector }) => nodeSelector)
    const term = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['z1'] }] }
    const zonal = sliceOf('z', ['1'], { nodeName: undefined, nodeSelector: { nodeSelectorTerms: [term] } } as never)
    expect(selectors(zonal)).to.deep.equal([{ nodeSelectorTerms: [term] }])
    expect(selectors(zonal, 'b')).to.equal(undefined)
    expect(selectors(sliceOf('z', ['1'], { nodeName: undefined, allNodes: true } as never), 'b')).to.deep.equal([undefined])
    const each = sliceOf(
      'z',
      [
        { name: '1', nodeName: 'b' },
        { name: '2', nodeName: 'a' },
      ],
      { nodeName: undefined, perDeviceNodeSelection: true } as never,
    )
    expect(chosen({ claims, slices: [each] })).to.deep.equal([['r=2']])
    expect(chosen({ claims, slices: [each], rules: { partitionable: false } })).to.equal(undefined)
  })

  it('prefers the first alternative that can be satisfied', () => {
    const alternatives = {
      name: 'r',
      firstAvailable: [
        { name: 'two', deviceClassName: 'gpu', count: 2 },
        { name: 'one', deviceClassName: 'gpu' },
      ],
    }
    const config = [
      { requests: ['r/one'], opaque: { driver: 'd', parameters: { n: 1 } } },
      { requests: ['r/two'], opaque: { driver: 'd', parameters: { n: 2 } } },
    ]
    const claims = [deviceClaimOf('c', [alternatives], { devices: { config } })]
    const deviceClass = { config: [{ opaque: { driver: 'd', parameters: {} } }] }
    expect(chosen({ claims, slices: [sliceOf('a', ['1', '2'])] })).to.deep.equal([['r/two=1', 'r/two=2']])
    const [one] = allocate({ claims, slices: [sliceOf('a', ['1'])], deviceClass }) ?? []
    expect(one?.devices).to.deep.equal({
      results: [{ request: 'r/one', driver: 'd', pool: 'a', device: '1' }],
      config: [
        { source: 'FromClass', requests: ['r/one'], opaque: { driver: 'd', parameters: {} } },
        { source: 'FromClaim', requests: ['r/one'], opaque: { driver: 'd', parameters: { n: 1 } } },
      ],
    })
  })

  it('holds constraints over attributes', () => {
    const device = (name: string, numa: number) => ({ name, attributes: { numa: { int: numa } } })
    const slices = [sliceOf('a', [device('1', 0), device('2', 1), device('3', 1), device('4', 0)])]
    const claims = (constraint: object, count = 2) => [
      deviceClaimOf('c', [requestOf('r', { count }), requestOf('s')], { devices: { constraints: [constraint] } }),
    ]
    expect(chosen({ claims: claims({ matchAttribute: 'd/numa', requests: ['r'] }), slices })).to.deep.equal([['r=1', 'r=4', 's=2']])
    expect(chosen({ claims: claims({ matchAttribute: 'd/numa' }), slices })).to.equal(undefined)
    expect(chosen({ claims: claims({ distinctAttribute: 'd/numa', requests: ['r'] }), slices })).to.deep.equal([['r=1', 'r=2', 's=3']])
    expect(() => chosen({ claims: claims({ distinctAttribute: 'd/numa' }), slices, rules: { consumableCapacity: false } })).to.throw(
      'claim default/c, constraint #0: empty constraint (unsupported constraint type?)',
    )
  })

  it('counts what partitions of a device share', () => {
    const consumes = (amount: string) => [{ counterSet: 's', counters: { memory: { value: amount } } }]
    const devices = ['30Gi', '20Gi', '10Gi'].map((amount, i) => ({ name: `${i}`, consumesCounters: consumes(amount) }))
    const sharedCounters = [{ name: 's', counters: { memory: { value: '40Gi' } } }]
    const pool = { name: 'p', resourceSliceCount: 2 }
    const slices = [sliceOf('a', devices, { pool }), sliceOf('counters', [], { pool, sharedCounters } as never)]
    const claims = [deviceClaimOf('c', [requestOf('r', { count: 2 })])]
    expect(chosen({ claims, slices })).to.deep.equal([['r=0', 'r=2']])
    expect(chosen({ claims, slices, allocated: ['d/p/1'] })).to.equal(undefined)
    expect(chosen({ claims: [deviceClaimOf('c', [requestOf('r')])], slices, allocated: ['d/p/1'] })).to.deep.equal([['r=2']])
    const older = { countsOtherNodes: false, skipsUnusablePools: false }
    expect(chosen({ claims, slices: [sliceOf('a', devices, { sharedCounters } as never)], rules: older }), 'in one slice').to.deep.equal([
      ['r=0', 'r=2'],
    ])
    expect(chosen({ claims, slices: [sliceOf('a', devices, { sharedCounters } as never)], node: 'b' }), 'of another node').to.equal(
      undefined,
    )
    expect(chosen({ claims, slices, rules: { partitionable: false } })).to.equal(undefined)
  })

  it('gives administrators devices that are in use, if the release does', () => {
    const claims = [deviceClaimOf('c', [requestOf('r', { adminAccess: true })])]
    const slices = [sliceOf('a', ['1'])]
    expect(allocate({ claims, slices, allocated: ['d/a/1'] })?.[0]?.devices.results).to.deep.equal([
      { request: 'r', driver: 'd', pool: 'a', device: '1', adminAccess: true },
    ])
    expect(() => chosen({ claims, slices, rules: { adminAccess: false } })).to.throw(
      'claim default/c, request r: admin access is requested, but the feature is disabled',
    )
  })

  it('gives an administrator each device once for a claim, and no other claim of the pod what an administrator uses from 1.34 on', () => {
    const slices = [sliceOf('a', ['1'])]
    const admin = (count: number) => requestOf('r', { adminAccess: true, count })
    expect(chosen({ claims: [deviceClaimOf('c', [admin(2)])], slices })).to.equal(undefined)
    expect(chosen({ claims: [deviceClaimOf('c', [admin(1)]), deviceClaimOf('d', [admin(1)])], slices })).to.deep.equal([['r=1'], ['r=1']])
    const mixed = [deviceClaimOf('c', [admin(1)]), deviceClaimOf('d', [requestOf('r')])]
    expect(chosen({ claims: mixed, slices })).to.equal(undefined)
    expect(chosen({ claims: mixed, slices, rules: { marksAdminDevices: false } })).to.deep.equal([['r=1'], ['r=1']])
  })

  it('records the operations of nodes that the slice leaves out', () => {
    const slices = [sliceOf('a', ['1'], { skipNodeOperations: ['NodeUnprepareResources'] })]
    const claims = [deviceClaimOf('c', [requestOf('r')])]
    expect(allocate({ claims, slices })?.[0]?.devices.results).to.deep.equal([
      { request: 'r', driver: 'd', pool: 'a', device: '1', skipNodeOperations: ['NodeUnprepareResources'] },
    ])
    expect(chosen({ claims, slices, rules: { optionalNodeOperations: false } })).to.equal(undefined)
  })

  it('shares a device among claims, and takes its counters once', () => {
    const consumesCounters = [{ counterSet: 's', counters: { memory: { value: '10Gi' } } }]
    const device = { name: '1', allowMultipleAllocations: true, capacity: { memory: { value: '10Gi' } }, consumesCounters }
    const pool = { name: 'p', resourceSliceCount: 2 }
    const sharedCounters = [{ name: 's', counters: { memory: { value: '10Gi' } } }]
    const slices = [sliceOf('a', [device], { pool }), sliceOf('counters', [], { pool, sharedCounters } as never)]
    const claims = (...amounts: string[]) =>
      amounts.map((memory, i) => deviceClaimOf(`c${i}`, [requestOf('r', { capacity: { requests: { memory } } })]))
    const [one, two] = allocate({ claims: claims('4Gi', '6Gi'), slices }) ?? []
    expect([one, two].map(each => each?.devices.results?.[0])).to.deep.equal([
      { request: 'r', driver: 'd', pool: 'p', device: '1', shareID: '', consumedCapacity: { memory: '4Gi' } },
      { request: 'r', driver: 'd', pool: 'p', device: '1', shareID: '', consumedCapacity: { memory: '6Gi' } },
    ])
    expect(chosen({ claims: claims('4Gi', '7Gi'), slices })).to.equal(undefined)
    expect(
      chosen({ claims: [deviceClaimOf('c', [requestOf('r')]), ...claims('1Gi')], slices }),
      'a request without capacities takes all',
    ).to.equal(undefined)
    const shared = new Map([['d/p/1', new Map([['memory', parseQuantity('5Gi')]])]])
    expect(chosen({ claims: claims('5Gi'), slices, shared })).to.deep.equal([['r=1']])
    expect(chosen({ claims: claims('6Gi'), slices, shared })).to.equal(undefined)
    const selects = [deviceClaimOf('c', [requestOf('r', { selectors: [cel('device.allowMultipleAllocations')] })])]
    expect(chosen({ claims: selects, slices })).to.deep.equal([['r=1']])
    expect(() => chosen({ claims: claims('1Gi'), slices, rules: { consumableCapacity: false } })).to.throw(
      'has capacity requests, but the DRAConsumableCapacity',
    )
  })

  it('takes devices that the pod has to wait for last', () => {
    const slices = [
      sliceOf('a', [{ name: '1', bindingConditions: ['ready'], bindingFailureConditions: ['failed'], bindsToNode: true }], {
        nodeName: undefined,
        allNodes: true,
      } as never),
    ]
    const claims = [deviceClaimOf('c', [requestOf('r')])]
    const [one] = allocate({ claims, slices }) ?? []
    expect(one?.devices.results).to.deep.equal([
      { request: 'r', driver: 'd', pool: 'a', device: '1', bindingConditions: ['ready'], bindingFailureConditions: ['failed'] },
    ])
    expect(one?.nodeSelector?.nodeSelectorTerms?.[0]?.matchFields?.[0]?.values).to.deep.equal(['a'])
    expect(chosen({ claims, slices: [...slices, sliceOf('b', ['2'], { nodeName: 'a' })] })).to.deep.equal([['r=2']])
    expect(chosen({ claims, slices, rules: { bindingConditions: false } })).to.equal(undefined)
  })

  it('avoids devices with taints that are not tolerated', () => {
    const slices = [sliceOf('a', [{ name: '1', taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] }])]
    const with_ = (...tolerations: object[]) => [deviceClaimOf('c', [requestOf('r', { tolerations })])]
    expect(chosen({ claims: with_(), slices })).to.equal(undefined)
    expect(chosen({ claims: with_(), slices, rules: { taints: false } })).to.deep.equal([['r=1']])
    expect(chosen({ claims: with_({ key: 'k', operator: 'Equal', value: 'w' }), slices })).to.equal(undefined)
    const tolerations = [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }]
    expect(allocate({ claims: with_(...tolerations), slices })?.[0]?.devices.results?.[0]).to.deep.include({ tolerations })
  })

  it('finds at once that too many are requested, and gives up on too many combinations', () => {
    const names = Array.from({ length: 24 }, (_, i) => `${i}`)
    expect(chosen({ claims: [deviceClaimOf('c', [requestOf('r', { count: 25 })])], slices: [sliceOf('a', names)] })).to.equal(undefined)
    expect(() => chosen({ claims: [deviceClaimOf('c', [requestOf('r', { count: 33 })])], slices: [] })).to.throw(
      'number of requested devices 33 exceeds the claim limit of 32',
    )
    const slices = [
      sliceOf(
        'a',
        names.map((name, i) => ({ name, attributes: { half: { int: i % 2 } } })),
      ),
    ]
    const pair = (name: string) => requestOf(name, { count: 6 })
    const constraints = [
      { matchAttribute: 'd/half', requests: ['r', 's'] },
      { matchAttribute: 'd/half', requests: ['s', 't'] },
    ]
    const claims = [deviceClaimOf('c', [pair('r'), pair('s'), requestOf('t')], { devices: { constraints } })]
    expect(() => chosen({ claims, slices })).to.throw(SearchTimeout, 'timed out trying to allocate devices')
  })

  it('gives up a node when its time is over', () => {
    const step = new StepBudget(0).forNode()
    expect(() => {
      for (let i = 0; i < 9000; i++) step()
    }).to.throw(SearchTimeout, 'timed out trying to allocate devices')
  })

  it('rejects capacities in releases without them', () => {
    const claims = [deviceClaimOf('c', [requestOf('r', { capacity: { requests: { memory: '1Gi' } } })])]
    expect(() => chosen({ claims, slices: [], rules: { consumableCapacity: false } })).to.throw(
      'claim default/c, request r: has capacity requests, but the DRAConsumableCapacity feature is disabled',
    )
  })
})
