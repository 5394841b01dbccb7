import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const PODS = '/api/v1/namespaces/default/pods'
const DRIVER = 'd.example.com'

describe('devices of a cluster that take resources of their node', () => {
  const resource = (kind: string, name: string, spec: object): Manifest =>
    ({
      apiVersion: 'resource.k8s.io/v1',
      kind,
      metadata: { name, ...(kind === 'ResourceClaim' && { namespace: 'default' }) },
      spec,
    }) as Manifest
  const pod = (name: string, cpu: string, claim?: string): Manifest =>
    ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: {
        containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu }, ...(claim && { claims: [{ name: 'd' }] }) } }],
        ...(claim && { resourceClaims: [{ name: 'd', resourceClaimName: claim }] }),
      },
    }) as Manifest

  for (const [release, takes, recorded] of [
    ['1.36', { nodeAllocatableResourceMappings: { cpu: { allocationMultiplier: '5' } } }, { resources: { cpu: '5' } }],
    ['1.37', { nodeAllocatableResources: { cpu: { mapping: { deviceMultiplier: '5' } } } }, { mapping: [{ name: 'cpu', quantity: '5' }] }],
  ] as const)
    it(`leave less of it for other pods until they are free, in ${release}`, async () => {
      const plane: ControlPlane = await startControlPlane({
        clock: 'stopped',
        release,
        flags: { profile: 'cluster', nodes: '1', 'feature-gates': 'DRANodeAllocatableResources=true' },
      })
      const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
      const runs = (name: string): Promise<void> => plane.until(async () => (await get(`${PODS}/${name}`)).status?.phase === 'Running')
      try {
        await plane.apply(
          resource('DeviceClass', 'class', {}),
          resource('ResourceClaim', 'claim', { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'class' } }] } }),
          resource('ResourceSlice', 'slice', {
            driver: DRIVER,
            nodeName: 'node-1',
            pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
            devices: [{ name: 'cores', ...takes }],
          }),
        )
        await plane.apply(pod('user', '1', 'claim'))
        await runs('user')
        expect((await get(`${PODS}/user`)).status.nodeAllocatableResourceClaimStatuses).to.deep.equal([
          { resourceClaimName: 'claim', containers: ['c'], ...recorded },
        ])
        // Of 8 cores, the pod has one and its device five.
        await plane.apply(pod('small', '1'), pod('large', '3'))
        await runs('small')
        await plane.until(async () => (await get(`${PODS}/large`)).status.conditions?.[0]?.reason === 'Unschedulable')
        expect((await get(`${PODS}/large`)).status.conditions[0].message).to.match(/^0\/1 nodes are available: 1 Insufficient cpu\./)
        await plane.request('DELETE', `${PODS}/user`)
        await plane.advance('1m')
        await runs('large')
      } finally {
        await plane.stop()
      }
    })
})
