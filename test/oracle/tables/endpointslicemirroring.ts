import type { EndpointSubset, Service } from '../../../src/api/core/v1.types.ts'
import { isMirrored, planMirror } from '../../../src/cluster/controllers/endpointslicemirroring/mirror.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { endpointsObject, serviceOf } from '../../support/slices.ts'

interface MirrorIn {
  readonly labels?: Record<string, string>
  readonly annotations?: Record<string, string>
  /** Whether the service exists. */
  readonly service?: boolean
  readonly serviceSelector?: Record<string, string> | null
}

function shouldMirror({ labels, annotations, service = true, serviceSelector = null }: MirrorIn): boolean {
  const { selector: _, ...spec } = serviceOf().spec
  const present = { ...serviceOf(), spec: serviceSelector === null ? spec : { ...spec, selector: serviceSelector } } as Service
  return isMirrored(endpointsObject([], { ...(labels && { labels }), ...(annotations && { annotations }) }), service ? present : undefined)
}

/** A subset of addresses, with a number that stands for its ports. */
interface SubsetIn {
  readonly addresses?: readonly string[]
  readonly notReady?: readonly string[]
  readonly ports?: number
}

function mapping(subsets: readonly SubsetIn[]): object[] {
  const made = subsets.map(
    ({ addresses = [], notReady = [], ports = 0 }): EndpointSubset => ({
      addresses: addresses.map(ip => ({ ip })),
      notReadyAddresses: notReady.map(ip => ({ ip })),
      ports: ports === 0 ? [] : [{ name: `p${ports}`, port: ports, protocol: 'TCP' }],
    }),
  )
  return runAtOnce(planMirror(endpointsObject(made), [])).changes.create.map(({ addressType, endpoints }) => ({
    type: addressType,
    ready: (endpoints ?? []).filter(({ conditions }) => conditions.ready).length,
    notReady: (endpoints ?? []).filter(({ conditions }) => !conditions.ready).length,
  }))
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  'should-mirror': shouldMirror,
  mapping,
  events: 'a text: scenarios check it',
}
