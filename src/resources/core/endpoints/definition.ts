import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { ipWarnings } from '../../../meta/ip.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { endpointsTable } from './table.ts'
import { validateEndpoints } from './validation.ts'

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by'

/** The endpoints controller writes canonical addresses. */
function warnings(next: KubeObject): string[] {
  if (next.metadata.labels?.[MANAGED_BY] === 'endpoint-controller') return []
  const texts: string[] = []
  for (const [i, subset] of (next.subsets ?? []).entries()) {
    for (const list of ['addresses', 'notReadyAddresses']) {
      for (const [j, address] of (subset[list] ?? []).entries()) {
        texts.push(...ipWarnings(fieldPath('subsets').index(i).child(list).index(j).child('ip'), address.ip ?? ''))
      }
    }
  }
  return texts
}

function setDefaults(object: KubeObject): void {
  for (const { ports = [] } of object.subsets ?? []) for (const port of ports) if (!port.protocol) port.protocol = 'TCP'
}

const v1: Version = {
  group: '',
  name: 'v1',
  kind: 'Endpoints',
  names: { plural: 'endpoints', singular: 'endpoints', shortNames: ['ep'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.Endpoints'),
  setDefaults,
  table: endpointsTable,
}

export const endpointsResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'services/endpoints', version: v1 },
  strategy: { allowCreateOnUpdate: true, validateName: nameIsDnsSubdomain, validate: next => validateEndpoints(next), warnings },
}
