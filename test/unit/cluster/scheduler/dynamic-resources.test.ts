import { expect } from 'chai'
import type { KubeObject } from '../../../../src/api/meta/object.ts'
import type { ResourceClaim } from '../../../../src/api/resource/v1beta2.types.ts'
import type { BindingContext, Reservation, Status, UnplacedGroup } from '../../../../src/cluster/scheduler/framework.ts'
import { dynamicResources } from '../../../../src/cluster/scheduler/plugins/dynamic-resources.ts'
import { deviceKinds } from '../../../../src/cluster/shared/device-kinds.ts'
import type { Release } from '../../../../src/lifecycle/release.ts'
import { conflictError } from '../../../../src/meta/status.ts'
import { deviceClaimOf, deviceClassOf, requestOf, sliceOf, withDeviceClaims } from '../../../support/device-objects.ts'
import { filterBy, infoOf, nodeOf, objectsOf, podOf, snapshotOf } from '../../../support/scheduling.ts'

const kinds = deviceKinds('1.34')
if (kinds === undefined) throw new Error('1.34 has claims')
const plugin = dynamicResources('1.34', gate => gate === 'DRAPrioritizedList', kinds)
const nodes = [nodeOf('a'), nodeOf('b')]
const gpu = deviceClassOf()
const on = (name: string): object => ({ nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }] })
const allocationOn = (node: string): object => ({
  devices: { results: [{ request: 'r', driver: 'd', pool: node, device: '1' }] },
  nodeSelector: on(node),
})
const CANNOT = 'cannot allocate all claims'
const reason = (objects: readonly KubeObject[], claim = 'c'): string => {
  const result = filterBy(plugin, withDeviceClaims(claim), snapshotOf(nodes, [], objects))
  return 'code' in result ? (result as Status).reasons.join() : JSON.stringify(result)
}

describe('DynamicResources', () => {
  it('skips pods without claims, and keeps those from the queue whose claims do not exist', () => {
    expect(filterBy(plugin, {}, snapshotOf(nodes))).to.have.property('code', 'Skip')
    const waits = (spec: object, ...objects: KubeObject[]) =>
      plugin.preEnqueue?.(podOf({ name: 'p', spec }), objectsOf(objects))?.reasons[0]
    const templated = { resourceClaims: [{ name: 'c', resourceClaimTemplateName: 't' }] as never }
    expect(waits(templated)).to.equal('pod "default/p": ResourceClaim not created yet')
    expect(waits(withDeviceClaims('c').spec)).to.equal('could not find ResourceClaim "default/c"')
    const claim = deviceClaimOf('c', [])
    expect(waits(withDeviceClaims('c').spec, { ...claim, metadata: { ...claim.metadata, deletionTimestamp: 'now' } })).to.equal(
      'resourceclaim "c" is being deleted',
    )
    expect(waits(withDeviceClaims('c').spec, claim)).to.equal(undefined)
    const foreign = podOf({
      name: 'p',
      spec: templated,
      status: { resourceClaimStatuses: [{ name: 'c', resourceClaimName: 'c' }] as never },
    })
    expect(plugin.preEnqueue?.(foreign, objectsOf([claim]))?.reasons).to.deep.equal([
      'ResourceClaim default/c was not created for pod default/p (pod is not owner)',
    ])
  })

  it('copies the operations that devices do not need, for nodes that declare the feature', () => {
    const gates = ['DRAOptionalNodeOperations']
    const optional = dynamicResources('1.37', gate => gates.includes(gate), kinds)
    const able = nodeOf('b')
    const both = [nodeOf('a'), { ...able, status: { ...able.status, declaredFeatures: ['DRAOptionalNodeOperations'] } }]
    const slices = ['a', 'b'].map(name => sliceOf(name, ['1'], { skipNodeOperations: ['*'] }))
    const snapshot = snapshotOf(both, [], [deviceClaimOf('c', [requestOf('r')]), gpu, ...slices])
    const features = "node(s) didn't match Pod's required features"
    expect(filterBy(optional, withDeviceClaims('c'), snapshot)).to.deep.equal({ a: features, b: '' })
    // Allocated claims, too, need the feature.
    const allocation = { devices: { results: [{ request: 'r', driver: 'd', pool: 'x', device: '1', skipNodeOperations: ['*'] }] } }
    const allocated = snapshotOf(both, [], [deviceClaimOf('c', [], { status: { allocation } })])
    expect(filterBy(optional, withDeviceClaims('c'), allocated)).to.deep.equal({ a: features, b: '' })
    // Without the gate, such devices are not allocated.
    const off = dynamicResources('1.37', () => false, kinds)
    expect(filterBy(off, withDeviceClaims('c'), snapshot)).to.deep.equal({ a: CANNOT, b: CANNOT })
    expect(filterBy(off, withDeviceClaims('c'), allocated)).to.deep.equal({ a: '', b: '' })
  })

  it('filters nodes by the devices that are left for a new claim', () => {
    const claim = deviceClaimOf('c', [requestOf('r')])
    const slices = [sliceOf('a', ['1']), sliceOf('b', ['1'])]
    expect(reason([claim])).to.equal('request r: device class gpu does not exist')
    expect(reason([claim, gpu])).to.equal(JSON.stringify({ a: CANNOT, b: CANNOT }))
    expect(reason([claim, gpu, ...slices])).to.equal(JSON.stringify({ a: '', b: '' }))
    const other = deviceClaimOf('o', [], { status: { allocation: allocationOn('a') } })
    expect(reason([claim, gpu, other, ...slices])).to.equal(JSON.stringify({ a: CANNOT, b: '' }))
    const admin = { devices: { results: [{ request: 'r', driver: 'd', pool: 'a', device: '1', adminAccess: true }] } }
    expect(reason([claim, gpu, deviceClaimOf('o', [], { status: { allocation: admin } }), ...slices])).to.equal(
      JSON.stringify({ a: '', b: '' }),
    )
  })

  it('reports an error of a claim for a release without the feature', () => {
    const claim = deviceClaimOf('c', [{ name: 'r', firstAvailable: [{ name: 'x', deviceClassName: 'gpu' }] }])
    const older = dynamicResources('1.33', () => false, kinds)
    expect(filterBy(older, withDeviceClaims('c'), snapshotOf(nodes, [], [claim, gpu]))).to.deep.include({
      reasons: ['claim default/c, request r: has subrequests, but the DRAPrioritizedList feature is disabled'],
    })
    const invalid = deviceClaimOf('c', [requestOf('r', { selectors: [{ cel: { expression: 'device.x' } }] })])
    expect(() => reason([invalid, gpu, sliceOf('a', ['1'])])).to.throw(
      /^claim default\/c: selector #0: CEL compile error: compilation failed: /,
    )
  })

  it('allocates on a node in steps, once', () => {
    let reads = 0
    const spec = {
      get selectors() {
        reads++
        return []
      },
    }
    const claim = deviceClaimOf('c', [requestOf('r', { count: 9 }), requestOf('s', { count: 9 })])
    // Seventeen devices do not suffice, which is known after all choices of nine.
    const slice = sliceOf(
      'a',
      Array.from({ length: 17 }, (_, i) => String(i)),
    )
    const snapshot = snapshotOf(nodes, [], [claim, { ...gpu, spec } as KubeObject, slice])
    const { filter } = plugin.preFilter?.(infoOf(withDeviceClaims('c')), snapshot) ?? {}
    const [node] = snapshot.nodes
    const steps = node && filter?.prepare?.(node)
    let count = 0
    while (steps && !steps.next().done) count++
    expect(count).to.be.above(100)
    const before = reads
    expect(before).to.be.above(0)
    expect(node && filter?.check(node)).to.deep.include({ reasons: ['timed out trying to allocate devices'] })
    expect(reads).to.equal(before)
  })

  it('allocates shares of a device until its capacity is consumed', () => {
    const claim = deviceClaimOf('c', [requestOf('r', { capacity: { requests: { memory: '6Gi' } } })])
    const later = dynamicResources('1.36', () => true, kinds)
    const shared = { name: '1', allowMultipleAllocations: true, capacity: { memory: { value: '10Gi' } } }
    const use = (amount: string) => ({
      request: 'r',
      driver: 'd',
      pool: 'a',
      device: '1',
      shareID: 's',
      consumedCapacity: { memory: amount },
    })
    const user = (amount: string) => deviceClaimOf('o', [], { status: { allocation: { devices: { results: [use(amount)] } } } })
    const results = (amount: string) =>
      filterBy(later, withDeviceClaims('c'), snapshotOf(nodes, [], [claim, gpu, user(amount), sliceOf('a', [shared])]))
    expect(results('4Gi')).to.deep.equal({ a: '', b: CANNOT })
    expect(results('5Gi')).to.deep.equal({ a: CANNOT, b: CANNOT })
  })

  it('leaves extended resources that a node does not have to the devices of a class', () => {
    const later = dynamicResources('1.36', () => true, kinds)
    const own = nodeOf('own', { allocatable: { 'example.com/gpu': '1' } })
    const none = nodeOf('none')
    const gpuClass = deviceClassOf({ extendedResourceName: 'example.com/gpu' })
    const results = (...objects: KubeObject[]) =>
      filterBy(
        later,
        { name: 'p', requests: { 'example.com/gpu': '1' } },
        snapshotOf([...nodes, own, none], [], [sliceOf('a', ['1']), ...objects]),
      )
    expect(results(), 'no class provides it').to.have.property('code', 'Skip')
    expect(results(gpuClass)).to.deep.equal({ a: '', b: CANNOT, own: '', none: CANNOT })
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'p', controller: true }
    const annotations = { 'resource.kubernetes.io/extended-resource-claim': 'true' }
    const stale = deviceClaimOf('old', [requestOf('r')])
    const before = { ...stale, metadata: { ...stale.metadata, ownerReferences: [owner], annotations } }
    expect(results(gpuClass, before)).to.have.property('a', 'cannot schedule extended resource claim')
    const info = infoOf({ name: 'p', requests: { 'example.com/gpu': '1' } })
    expect(later.preFilter?.(info, snapshotOf(nodes, [], [gpuClass, before])).postFilter?.().message).to.equal(
      'deletion of ResourceClaim completed',
    )
  })

  it('releases a claim whose devices could not be prepared', () => {
    const later = dynamicResources('1.36', () => true, kinds)
    const use = { request: 'r', driver: 'd', pool: 'a', device: '1', bindingConditions: ['ready'], bindingFailureConditions: ['failed'] }
    const claim = (conditions: object[]) =>
      deviceClaimOf('c', [], {
        status: {
          allocation: { devices: { results: [use] }, allocationTimestamp: '2026-01-01T00:00:00Z' },
          devices: [{ driver: 'd', pool: 'a', device: '1', conditions }],
        },
      })
    const at = (time: string, ...conditions: object[]) => {
      const snapshot = Object.assign(snapshotOf([nodeOf('a')]), { objects: objectsOf([claim(conditions)], Date.parse(time)) })
      return filterBy(later, withDeviceClaims('c'), snapshot)
    }
    const elsewhere = { a: 'resourceclaim not available on the node' }
    expect(at('2026-01-01T00:09:59Z'), 'in time').to.deep.equal({ a: '' })
    expect(at('2026-01-01T00:10:01Z'), 'too late').to.deep.equal(elsewhere)
    expect(at('2026-01-01T00:10:01Z', { type: 'ready', status: 'True' }), 'ready').to.deep.equal({ a: '' })
    expect(at('2026-01-01T00:00:01Z', { type: 'failed', status: 'True', reason: 'r', message: 'm' }), 'failed').to.deep.equal(elsewhere)
  })

  it('filters nodes by where a claim is allocated, and releases it if no node is left', () => {
    const allocated = (status: object = {}) => deviceClaimOf('c', [], { status: { allocation: allocationOn('gone'), ...status } })
    const elsewhere = 'resourceclaim not available on the node'
    expect(reason([deviceClaimOf('c', [], { status: { allocation: allocationOn('a') } })])).to.equal(
      JSON.stringify({ a: '', b: elsewhere }),
    )
    expect(
      reason([allocated({ reservedFor: Array.from({ length: 256 }, (_, i) => ({ resource: 'pods', name: `${i}`, uid: `${i}` })) })]),
    ).to.equal('resourceclaim in use')
    const message = (claim: ResourceClaim): string | undefined => {
      const snapshot = snapshotOf(nodes, [], [claim])
      const { filter, postFilter } = plugin.preFilter?.(infoOf({ name: 'p', ...withDeviceClaims('c') }), snapshot) ?? {}
      for (const node of snapshot.nodes) filter?.check(node)
      return postFilter?.().message
    }
    expect(message(allocated())).to.equal('deallocation of ResourceClaim completed')
    expect(message(allocated({ reservedFor: [{ resource: 'pods', name: 'p', uid: 'p' }] }))).to.equal(
      'deallocation of ResourceClaim completed',
    )
    expect(message(allocated({ reservedFor: [{ resource: 'pods', name: 'o', uid: 'o' }] }))).to.equal('still not schedulable')
  })

  it('releases a claim that is reserved for a group if the group is not scheduled and has no nodes', () => {
    const later = dynamicResources('1.37', () => true, kinds)
    const reservedFor = [{ apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'g', uid: 'g' }]
    const claim = deviceClaimOf('c', [], { status: { allocation: allocationOn('gone'), reservedFor } })
    const group = { hasNodes: false, released: new Set<string>() }
    const message = (podGroupName: string, unplaced?: UnplacedGroup): string | undefined => {
      const snapshot = snapshotOf(nodes, [], [claim])
      const spec = { ...withDeviceClaims('c').spec, schedulingGroup: { podGroupName } }
      const { filter, postFilter } = later.preFilter?.(infoOf({ name: 'p', spec }), snapshot) ?? {}
      for (const node of snapshot.nodes) filter?.check(node)
      return postFilter?.(unplaced).message
    }
    expect(message('g'), 'a pod that is scheduled by itself').to.equal('still not schedulable')
    expect(message('g', { ...group, hasNodes: true })).to.equal('still not schedulable')
    expect(message('other', group)).to.equal('still not schedulable')
    expect(message('g', group)).to.equal('deallocation of ResourceClaim completed')
    expect(message('g', group), 'released for another pod of the group').to.equal('still not schedulable')
  })

  it('prefers nodes with better alternatives from 1.35 on', () => {
    const alternatives = ['two', 'one'].map((name, i) => ({ name, deviceClassName: 'gpu', count: 2 - i }))
    const claim = deviceClaimOf('c', [{ name: 'r', firstAvailable: alternatives }])
    const score = (release: Release) => {
      const one = dynamicResources(release, gate => gate === 'DRAPrioritizedList', kinds)
      const snapshot = snapshotOf(nodes, [], [claim, gpu, sliceOf('a', ['1']), sliceOf('b', ['1', '2'])])
      const pod = infoOf(withDeviceClaims('c'))
      one.preFilter?.(pod, snapshot)
      const scorer = one.preScore?.(pod, snapshot, snapshot.nodes)
      return scorer === undefined || 'code' in scorer ? 'Skip' : snapshot.nodes.map(node => scorer.score(node))
    }
    expect(score('1.34')).to.equal('Skip')
    expect(score('1.35')).to.deep.equal([7, 8])
  })

  describe('on the chosen node', () => {
    const claim = deviceClaimOf('c', [requestOf('r')])
    const reserved = { resource: 'pods', name: 'p', uid: 'p' }

    /** A context whose client applies writes to one claim. The first ones fail with the given errors. */
    function contextOf(
      stored: ResourceClaim,
      errors: Error[] = [],
    ): { context: BindingContext; writes: string[]; claim: () => ResourceClaim } {
      const writes: string[] = []
      let current = stored
      const write = (what: string, change: Partial<ResourceClaim>): ResourceClaim => {
        const error = errors.shift()
        if (error) throw error
        writes.push(what)
        current = { ...current, ...change, metadata: { ...current.metadata, ...change.metadata, resourceVersion: `${writes.length + 1}` } }
        return current
      }
      const client = {
        get: async () => current,
        update: async (_: unknown, object: ResourceClaim, subresource?: string) =>
          subresource ? write('status', { status: object.status }) : write('finalizers', { metadata: object.metadata }),
        patch: async (_: unknown, __: unknown, patch: object) =>
          write(`patch ${JSON.stringify(patch)}`, { status: { ...current.status, reservedFor: [] } }),
      }
      const clock = { now: () => 0 }
      return { context: { client, clock } as never, writes, claim: () => current }
    }

    function reserve(objects = objectsOf([claim, gpu, sliceOf('a', ['1'])])): {
      reservation: Reservation
      again: () => Status | undefined
    } {
      const snapshot = Object.assign(snapshotOf(nodes), { objects })
      const prepared = plugin.preFilter?.(infoOf({ name: 'p', ...withDeviceClaims('c') }), snapshot)
      const reservation = prepared?.reserve?.(snapshot.nodes[0] as never)
      if (reservation === undefined || 'code' in reservation) throw new Error('the node is not reserved')
      return { reservation, again: () => plugin.preFilter?.(infoOf({ name: 'other', ...withDeviceClaims('c') }), snapshot).status }
    }

    it('writes finalizer, allocation and reservation, and counts the devices until that is observed', async () => {
      const { reservation, again } = reserve()
      expect(again()?.reasons).to.deep.equal(['resource claim default/c is in the process of being allocated'])
      const { context, writes, claim: written } = contextOf(claim, [])
      expect(await reservation.preBind?.(context)).to.equal(undefined)
      expect(writes).to.deep.equal(['finalizers', 'status'])
      expect(written().metadata.finalizers).to.deep.equal(['resource.kubernetes.io/delete-protection'])
      expect(written().status).to.deep.equal({ allocation: allocationOn('a'), reservedFor: [reserved] })
      expect(again(), 'the claim is shared').to.equal(undefined)
      await reservation.unreserve?.(context)
      expect(writes[2]).to.equal('patch {"metadata":{"uid":"c"},"status":{"reservedFor":[{"$patch":"delete","uid":"p"}]}}')
    })

    for (const [release, gate, shares] of [
      ['1.37', true, ['finalizers', 'status']],
      ['1.36', true, ['finalizers', 'status']],
      ['1.37', false, ['finalizers', 'status', 'status']],
      ['1.35', false, undefined],
    ] as const)
      it(`is shared by the pods of a group in ${release}${gate ? '' : ' without claims of groups'}`, async () => {
        const later = dynamicResources(release, name => gate && name === 'DRAWorkloadResourceClaims', kinds)
        const group = {
          kind: 'PodGroup',
          apiVersion: 'scheduling.k8s.io/v1beta1',
          metadata: { name: 'g', namespace: 'default', uid: 'g' },
          spec: { schedulingPolicy: { basic: {} }, resourceClaims: withDeviceClaims('c').spec.resourceClaims },
        } as KubeObject
        const objects = objectsOf([claim, gpu, group, sliceOf('a', ['1']), sliceOf('b', ['1'])])
        const snapshot = Object.assign(snapshotOf(nodes), { objects })
        const prepared = (name: string, podGroupName = 'g') =>
          later.preFilter?.(infoOf({ name, spec: { ...withDeviceClaims('c').spec, schedulingGroup: { podGroupName } } }), snapshot)
        const inUse = { reasons: ['resource claim default/c is in the process of being allocated'] }
        const first = prepared('p')?.reserve?.(snapshot.nodes[0] as never) as Reservation
        expect(prepared('other', 'h')?.status).to.deep.include(inUse)
        if (shares === undefined) {
          expect(prepared('q')?.status).to.deep.include(inUse)
          return
        }
        const next = prepared('q')
        expect(snapshot.nodes.map(node => next?.filter?.check(node)?.reasons.join() ?? '')).to.deep.equal([
          '',
          'resourceclaim not available on the node',
        ])
        const second = next?.reserve?.(snapshot.nodes[0] as never) as Reservation
        const { context, writes, claim: written } = contextOf(claim)
        await Promise.all([first.preBind?.(context), second.preBind?.(context)])
        expect(writes).to.deep.equal(shares)
        const ofGroup = { apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'g', uid: 'g' }
        expect(written().status).to.deep.equal({
          allocation: allocationOn('a'),
          reservedFor: gate ? [ofGroup] : [reserved, { ...reserved, name: 'q', uid: 'q' }],
        })
        await second.unreserve?.(context)
        expect(writes.slice(shares.length)).to.have.length(gate ? 0 : 1)
      })

    it('retries after conflicts, and frees the devices if another scheduler was faster', async () => {
      const conflict = conflictError({ group: 'resource.k8s.io', resource: 'resourceclaims' }, 'c', 'changed')
      const retried = contextOf(claim, [conflict, conflict])
      await reserve().reservation.preBind?.(retried.context)
      expect(retried.writes).to.deep.equal(['finalizers', 'status'])
      const { reservation, again } = reserve()
      const faster = contextOf({ ...claim, status: { allocation: allocationOn('b') as never } }, [conflict])
      const failed = await reservation.preBind?.(faster.context).then(
        () => '',
        (error: Error) => error.message,
      )
      expect(failed).to.equal('claim default/c got allocated elsewhere in the meantime')
      await reservation.unreserve?.(faster.context)
      expect(again()).to.equal(undefined)
    })
  })
})
