import { expect } from 'chai'
import type { KubeObject } from '../../../../../src/api/meta/object.ts'
import type { ResourceClaim } from '../../../../../src/api/resource/v1beta2.types.ts'
import { podOnNode } from '../../../../../src/cluster/scheduler/devices/device-demands.ts'
import type { BindingContext, Reservation } from '../../../../../src/cluster/scheduler/framework.ts'
import { dynamicResources } from '../../../../../src/cluster/scheduler/plugins/dynamic-resources.ts'
import { podInfo } from '../../../../../src/cluster/scheduler/pod-info.ts'
import { deviceKinds } from '../../../../../src/cluster/shared/device-kinds.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { deviceClaimOf, deviceClassOf, requestOf, sliceOf } from '../../../../support/device-objects.ts'
import { filterBy, infoOf, nodeOf, type PodParts, podOf, snapshotOf } from '../../../../support/scheduling.ts'

const pluginIn = (release: Release) => {
  const kinds = deviceKinds(release)
  if (kinds === undefined) throw new Error('the release has claims')
  return dynamicResources(
    release,
    gate => gate === 'DRANodeAllocatableResources' || gate === 'DRAConsumableCapacity' || gate === 'PodLevelResources',
    kinds,
  )
}
const plugins = { '1.36': pluginIn('1.36'), '1.37': pluginIn('1.37') }

/** A pod with a claim that its container uses, unless it says otherwise. */
const user = (cpu: string, parts: PodParts & { readonly uses?: boolean } = {}): PodParts => ({
  ...parts,
  spec: {
    containers: [{ name: 'c', resources: { requests: { cpu }, ...(parts.uses !== false && { claims: [{ name: 'c' }] }) } }],
    resourceClaims: [{ name: 'c', resourceClaimName: 'c' }] as never,
    ...parts.spec,
  },
})
const running = (cpu: string): PodParts => ({ name: 'other', nodeName: 'a', requests: { cpu } })
const claim = (count = 1, exactly: object = {}): ResourceClaim => deviceClaimOf('c', [requestOf('r', { count, ...exactly })])
const mapped = (cpu: string, name = '1'): object => ({ name, nodeAllocatableResources: { cpu: { mapping: { deviceMultiplier: cpu } } } })
const mappedIn136 = (cpu: string): object => ({ name: '1', nodeAllocatableResourceMappings: { cpu: { allocationMultiplier: cpu } } })

/** Reasons of the node `a`, which has 4 cores. */
function reasonOf(
  release: '1.36' | '1.37',
  pod: PodParts,
  {
    devices,
    claims = [claim()],
    pods = [],
  }: { devices: readonly (string | object)[]; claims?: readonly KubeObject[]; pods?: readonly PodParts[] },
): unknown {
  const result = filterBy(plugins[release], pod, snapshotOf([nodeOf('a')], pods, [...claims, deviceClassOf(), sliceOf('a', devices)]))
  return 'code' in result ? result.reasons : result.a
}

describe('resources of a node that devices take', () => {
  for (const [release, device] of [
    ['1.36', mappedIn136],
    ['1.37', mapped],
  ] as const)
    it(`are added to the requests of the pod, in ${release}`, () => {
      expect(reasonOf(release, user('1'), { devices: [device('3')] })).to.equal('')
      expect(reasonOf(release, user('1'), { devices: [device('3')], pods: [running('1')] })).to.equal('Insufficient cpu')
      expect(reasonOf(release, user('2'), { devices: [device('3')] })).to.equal('Insufficient cpu')
      expect(reasonOf(release, user('2'), { devices: ['1'] })).to.equal('')
    })

  it('follow the number of devices and their capacities', () => {
    const twoClaimed = { claims: [claim(2)] }
    expect(reasonOf('1.37', user('1'), { devices: [mapped('1500m'), mapped('1500m', '2')], ...twoClaimed })).to.equal('')
    expect(reasonOf('1.37', user('1'), { devices: [mapped('1500m'), mapped('2', '2')], ...twoClaimed })).to.equal('Insufficient cpu')
    const shared = {
      name: '1',
      allowMultipleAllocations: true,
      capacity: { cores: { value: '64' } },
      nodeAllocatableResources: { cpu: { mapping: { capacityKey: 'cores', capacityMultiplier: '500m' } } },
    }
    const wants = (cores: string) => ({ devices: [shared], claims: [claim(1, { capacity: { requests: { cores } } })] })
    expect(reasonOf('1.37', user('1'), wants('6'))).to.equal('')
    expect(reasonOf('1.37', user('1'), wants('7'))).to.equal('Insufficient cpu')
  })

  it('make preemption help, unless the whole node does not suffice', () => {
    const status = (cpu: string) => {
      const objects = [claim(), deviceClassOf(), sliceOf('a', [mapped(cpu)])]
      const snapshot = snapshotOf([nodeOf('a')], [running('1')], objects)
      const [node] = snapshot.nodes
      return node && plugins['1.37'].preFilter?.(infoOf(user('1')), snapshot).filter?.check(node)?.code
    }
    expect([status('3'), status('4')]).to.deep.equal(['Unschedulable', 'UnschedulableAndUnresolvable'])
  })

  it('must be covered by requests and limits of the pod as a whole', () => {
    const whole = (requests: object, limits: object = {}): PodParts['spec'] => ({ resources: { requests, limits } as never })
    const of = (spec: PodParts['spec']): unknown => reasonOf('1.37', user('1', { spec: { ...spec } }), { devices: [mapped('2')] })
    expect(of(whole({ cpu: '3' }))).to.equal('')
    expect(of(whole({ cpu: '2500m' }))).to.equal(
      'pod level request for cpu is insufficient to cover the aggregated container and node-allocatable DRA requests',
    )
    const containers = [{ name: 'c', resources: { requests: { cpu: '1' }, limits: { cpu: '2' }, claims: [{ name: 'c' }] } }]
    expect(of({ ...whole({ cpu: '3' }, { cpu: '4' }), containers })).to.equal('')
    expect(of({ ...whole({ cpu: '3' }, { cpu: '3' }), containers })).to.equal(
      'pod level limit for cpu is insufficient to cover the limit and DRA overhead for container c',
    )
  })

  it('require a container that uses the claim in 1.36 only', () => {
    expect(reasonOf('1.36', user('1', { uses: false }), { devices: [mappedIn136('1')] })).to.equal(
      'claim c: node-allocatable resource claim not referenced by any container within the pod',
    )
    expect(reasonOf('1.37', user('1', { uses: false }), { devices: [mapped('1')] })).to.equal('')
  })

  it('are not shared by pods if the device stands for them, but if they are its overhead', () => {
    const reserved = deviceClaimOf('c', [requestOf('r')], {
      status: {
        allocation: { devices: { results: [{ request: 'r', driver: 'd', pool: 'a', device: '1' }] } },
        reservedFor: [{ resource: 'pods', name: 'other', uid: 'other' }],
      },
    })
    const on = (release: '1.36' | '1.37', device: object) => reasonOf(release, user('1'), { devices: [device], claims: [reserved] })
    expect(on('1.37', mapped('1'))).to.equal('node allocatable resource claim c has a mapped device and cannot be shared across pods')
    expect(on('1.36', mappedIn136('1'))).to.equal('node allocatable resource claim c is already used by another pod')
    expect(on('1.37', { name: '1', nodeAllocatableResources: { cpu: { overhead: { perPod: '1' } } } })).to.equal('')
    expect(on('1.37', { name: '1', nodeAllocatableResources: { cpu: { overhead: { perPod: '2', perContainer: '1500m' } } } })).to.equal(
      'Insufficient cpu',
    )
  })

  it('count for the node from the choice on, and are written before the pod is bound', async () => {
    const overhead = { memory: { overhead: { perPod: '1Gi', perContainer: '500Mi' } } }
    const devices = [{ name: '1', nodeAllocatableResources: { ...overhead, cpu: { mapping: { deviceMultiplier: '2' } } } }]
    const info = podInfo(podOf(user('1')), { podLevel: true, inPlace: true, ofDevices: true })
    const snapshot = snapshotOf([nodeOf('a')], [], [claim(), deviceClassOf(), sliceOf('a', devices)])
    const [node] = snapshot.nodes
    const prepared = plugins['1.37'].preFilter?.(info, snapshot)
    if (!node || !prepared?.reserve) throw new Error('the node is feasible')
    expect(prepared.filter?.check(node)).to.equal(undefined)
    expect([...podOnNode(info, 'a').requests]).to.deep.equal([
      ['cpu', 3000],
      ['memory', (1024 + 500) * 1024 * 1024],
    ])
    expect(podOnNode(info, 'b')).to.equal(info)
    const patches: unknown[] = []
    const client = {
      get: async () => claim(),
      update: async (_kind: unknown, object: unknown) => object,
      patch: async (_kind: unknown, _name: unknown, patch: unknown) => void patches.push(patch),
    }
    const context = { client, clock: { now: () => 0 }, newId: () => 'id' } as unknown as BindingContext
    const reservation = prepared.reserve(node) as Reservation
    await reservation.preBind?.(context)
    await reservation.unreserve?.(context)
    const recorded = {
      resourceClaimName: 'c',
      containers: ['c'],
      mapping: [{ name: 'cpu', quantity: '2' }],
      overhead: [{ name: 'memory', perPod: '1Gi', perContainer: '500Mi' }],
    }
    expect(patches.slice(0, 2)).to.deep.equal(
      [[recorded], []].map(each => ({ metadata: { uid: 'pod' }, status: { nodeAllocatableResourceClaimStatuses: each } })),
    )
  })
})
