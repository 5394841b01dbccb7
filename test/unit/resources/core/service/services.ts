import type { KubeObject } from '../../../../../src/api/meta/object.ts'
import { endpointsResource } from '../../../../../src/resources/core/endpoints/definition.ts'
import { rangeAllocationResource } from '../../../../../src/resources/core/service/allocation/node-ports.ts'
import type { ServiceOptions } from '../../../../../src/resources/core/service/definition.ts'
import { createServiceResource } from '../../../../../src/resources/core/service/definition.ts'
import { ipAddressResource } from '../../../../../src/resources/networking/ip-address/definition.ts'
import { serviceCIDRResource } from '../../../../../src/resources/networking/service-cidr/definition.ts'
import { KindServer } from '../../../../support/kind-server.ts'

export const SERVICES = { group: '', resource: 'services' }
export const ENDPOINTS = { group: '', resource: 'endpoints' }
export const IPS = { group: 'networking.k8s.io', resource: 'ipaddresses' }
export const CIDRS = { group: 'networking.k8s.io', resource: 'servicecidrs' }
export const RANGES = { group: '', resource: 'rangeallocations' }
export const PORTS = { base: 30000, size: 2768 }

export const serverWith = (options: Partial<ServiceOptions> = {}): KindServer =>
  new KindServer([
    createServiceResource({ serviceCIDRs: ['10.0.0.0/24'], nodePortRange: PORTS, random: () => 0, ...options }),
    ipAddressResource,
    serviceCIDRResource,
    rangeAllocationResource,
    endpointsResource,
  ])

/** A service with a selector and a port, whose spec is overridden by `spec`. */
export const service = (name: string, spec: object = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }], ...spec },
  }) as KubeObject

/** Names of all IPAddresses. */
export const addresses = async (server: KindServer): Promise<string[]> =>
  (await server.list(IPS, '')).items.map(({ metadata }) => metadata.name ?? '').sort()
