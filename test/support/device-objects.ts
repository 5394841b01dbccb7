import type { Pod } from '../../src/api/core/v1.types.ts'
import type { KubeObject } from '../../src/api/meta/object.ts'
import type { ResourceClaim, ResourceSlice } from '../../src/api/resource/v1beta2.types.ts'

/**
 * A claim of the namespace `default`, whose uid is its name. Requests are for the class `gpu` unless they say
 * otherwise.
 */
export const deviceClaimOf = (
  name: string,
  requests: readonly object[],
  parts: { devices?: object; status?: object } = {},
): ResourceClaim =>
  ({
    kind: 'ResourceClaim',
    apiVersion: 'resource.k8s.io/v1',
    metadata: { name, namespace: 'default', uid: name, resourceVersion: '1' },
    spec: { devices: { requests, ...parts.devices } },
    status: { ...parts.status },
  }) as never

/** A request of the class `gpu`. */
export const requestOf = (name: string, exactly: object = {}): object => ({ name, exactly: { deviceClassName: 'gpu', ...exactly } })

/** The class `gpu`. */
export const deviceClassOf = (spec: object = {}, name = 'gpu'): KubeObject =>
  ({ kind: 'DeviceClass', apiVersion: 'resource.k8s.io/v1', metadata: { name }, spec }) as never

/** A slice of the driver `d`, for the node of its name unless it says otherwise. A device is a name, or an object. */
export const sliceOf = (
  name: string,
  devices: readonly (string | object)[],
  spec: Partial<Omit<ResourceSlice['spec'], 'pool' | 'nodeName'>> & { pool?: object; nodeName?: string | undefined } = {},
): ResourceSlice =>
  ({
    kind: 'ResourceSlice',
    apiVersion: 'resource.k8s.io/v1',
    metadata: { name },
    spec: {
      driver: 'd',
      nodeName: name,
      devices: devices.map(device => (typeof device === 'string' ? { name: device } : device)),
      ...spec,
      pool: { name, generation: 1, resourceSliceCount: 1, ...spec.pool },
    },
  }) as never

/** Parts of a pod with claims by name. */
export const withDeviceClaims = (...names: string[]): { spec: Partial<Pod['spec']> } => ({
  spec: { resourceClaims: names.map(name => ({ name, resourceClaimName: name })) as never },
})
