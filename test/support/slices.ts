import type { EndpointSubset, Endpoints, Service } from '../../src/api/core/v1.types.ts'
import type { Endpoint, EndpointSlice } from '../../src/api/discovery/v1.types.ts'

/** Returns a slice with the given endpoints, whose conditions may be omitted. */
export const sliceOf = (name: string, endpoints: readonly Partial<Endpoint>[], parts: Partial<EndpointSlice> = {}): EndpointSlice => ({
  kind: 'EndpointSlice',
  apiVersion: 'discovery.k8s.io/v1',
  addressType: 'IPv4',
  ports: [],
  ...parts,
  metadata: { name, uid: name, namespace: 'default', generation: 1, ...parts.metadata },
  endpoints: endpoints.map(endpoint => ({ addresses: [], conditions: { ready: true }, ...endpoint })),
})

/** Returns a service that selects `app: web` and has a cluster address, unless its spec says otherwise. */
export const serviceOf = (spec: Partial<Service['spec']> = {}, metadata: Service['metadata'] = {}): Service => {
  const service: unknown = {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: 'web', namespace: 'default', uid: 'web', creationTimestamp: '2030-01-01T00:00:00Z', ...metadata },
    spec: {
      clusterIP: '10.0.0.10',
      ipFamilies: ['IPv4'],
      selector: { app: 'web' },
      ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }],
      ...spec,
    },
    status: { loadBalancer: {} },
  }
  return service as Service
}

export const endpointsObject = (subsets: readonly EndpointSubset[], metadata: Endpoints['metadata'] = {}): Endpoints => ({
  kind: 'Endpoints',
  apiVersion: 'v1',
  metadata: { name: 'web', namespace: 'default', uid: 'endpoints', ...metadata },
  subsets: [...subsets],
})
