import type { Endpoints } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { ipWarnings } from '../../../meta/ip.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { validateEndpoints } from './validation.ts'

/** Addresses that a table cell shows. */
const SHOWN = 3

/**
 * Prints the first three addresses with each of their ports, and how many more there are. Addresses that are not ready
 * are left out.
 */
function endpointsCell({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return '<none>'
  const shown: string[] = []
  let count = 0
  for (const { addresses = [], ports = [] } of subsets) {
    for (const port of ports.length === 0 ? [undefined] : ports) {
      count += addresses.length
      for (const { ip } of addresses) {
        if (shown.length === SHOWN) break
        shown.push(port === undefined ? ip : `${ip.includes(':') ? `[${ip}]` : ip}:${port.port}`)
      }
    }
  }
  return count > SHOWN ? `${shown.join(',')} + ${count - SHOWN} more...` : shown.join(',')
}

const endpointsTable: TableDefinition<Endpoints> = {
  columns: [nameColumn, column('Endpoints', 'Ready addresses and ports.'), ageColumn],
  cells: (object, now) => [object.metadata.name ?? '', endpointsCell(object), age(object.metadata.creationTimestamp, now)],
}

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by'

/**
 * Warnings for IP addresses in legacy notation. The endpoints controller writes canonical addresses only, so its
 * objects are skipped.
 */
function* warnings(next: Endpoints, _old: Endpoints | undefined, { features }: HookContext): Steps<string[]> {
  if (!isSince(features.release, '1.33') || next.metadata.labels?.[MANAGED_BY] === 'endpoint-controller') return []
  const texts: string[] = []
  for (const [i, subset] of (next.subsets ?? []).entries()) {
    for (const list of ['addresses', 'notReadyAddresses'] as const) {
      for (const [j, address] of (subset[list] ?? []).entries()) {
        if (isStepDone()) yield
        texts.push(...ipWarnings(fieldPath('subsets').index(i).child(list).index(j).child('ip'), address.ip))
      }
    }
  }
  return texts
}

function setEndpointsDefaults(object: Endpoints): void {
  for (const { ports = [] } of object.subsets ?? []) for (const port of ports) if (!port.protocol) port.protocol = 'TCP'
}

const v1: Version<Endpoints> = {
  group: '',
  name: 'v1',
  kind: 'Endpoints',
  names: { plural: 'endpoints', singular: 'endpoints', shortNames: ['ep'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.Endpoints'),
  setDefaults: setEndpointsDefaults,
  table: endpointsTable,
}

/**
 * Addresses of the pods behind a service. Stored below `services/endpoints`. PUT creates an object that does not exist.
 * Deprecated since 1.33 in favour of EndpointSlice. Source of its rules: pkg/registry/core/endpoint.
 */
export const endpointsResource = defineResource<Endpoints>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'services/endpoints', version: v1 },
  strategy: {
    allowCreateOnUpdate: true,
    metaRounds: ['change', 'whole'],
    validateName: nameIsDnsSubdomain,
    validate: validateEndpoints,
    warnings,
  },
})
