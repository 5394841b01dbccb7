import type { Endpoints, Pod, Service } from '../../../src/api/core/v1.types.ts'
import { podAddress } from '../../../src/cluster/controllers/endpoints/address.ts'
import { endpointsOf } from '../../../src/cluster/controllers/endpoints/endpoints.ts'
import { subsetsOf } from '../../../src/cluster/controllers/endpoints/subsets.ts'
import { podOf } from '../../support/scheduling.ts'
import { serviceOf } from '../../support/slices.ts'

const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity'

type Counts = { readonly ready: number; readonly notReady: number }

const pod = (name: string, i: number, ready: boolean, parts: { phase?: Pod['status']['phase']; terminating?: boolean } = {}): Pod => {
  const { phase = 'Running', terminating = false } = parts
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }] as NonNullable<Pod['status']['conditions']>
  const ip = `10.1.${i >> 8}.${i & 255}`
  return podOf({
    name,
    labels: { app: 'web' },
    metadata: terminating ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {},
    status: { phase, podIP: ip, podIPs: [{ ip }], conditions },
  })
}

const countsOf = ({ subsets = [] }: Pick<Endpoints, 'subsets'>): Counts => ({
  ready: subsets.reduce((sum, { addresses = [] }) => sum + addresses.length, 0),
  notReady: subsets.reduce((sum, { notReadyAddresses = [] }) => sum + notReadyAddresses.length, 0),
})

async function overCapacity({ existingAnnotation, ready, notReady }: Counts & { existingAnnotation: string | null }): Promise<object> {
  const pods = Array.from({ length: ready + notReady }, (_, i) => pod(`p${i}`, i, i < ready))
  const annotations = existingAnnotation === null ? {} : { [OVER_CAPACITY]: existingAnnotation }
  const current: Endpoints = {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: { name: 'web', namespace: 'default', annotations },
    subsets: [],
  }
  const service = serviceOf()
  const written =
    endpointsOf({ service, subsets: await subsetsOf(service, pods), current, changedAt: undefined, isLabelled: true }) ?? current
  return { ...countsOf(written), annotation: written.metadata.annotations?.[OVER_CAPACITY] === 'truncated' }
}

interface AddressIn {
  readonly phase: NonNullable<Pod['status']['phase']>
  readonly ready: boolean
  readonly terminating: boolean
  readonly publishNotReadyAddresses: boolean
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  'over-capacity': overCapacity,
  addresses: async ({ phase, ready, terminating, publishNotReadyAddresses }: AddressIn) =>
    countsOf({ subsets: await subsetsOf(serviceOf({ publishNotReadyAddresses }), [pod('p', 1, ready, { phase, terminating })]) }),
  'pod-family': ({ clusterIP, families, podIPs }: { clusterIP: string; families?: Service['spec']['ipFamilies']; podIPs: string[] }) =>
    podAddress(
      serviceOf({ clusterIP, ipFamilies: families ?? [] }),
      podOf({ status: { podIP: podIPs[0] ?? '', podIPs: podIPs.map(ip => ({ ip })) } }),
    ) ?? null,
  events: 'a text: scenarios check it',
}
