import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { setEndpointSliceDefaults } from './defaults.ts'
import { endpointSliceStrategy } from './strategy.ts'
import { endpointSliceTable } from './table.ts'

const v1: Version = {
  group: 'discovery.k8s.io',
  name: 'v1',
  kind: 'EndpointSlice',
  names: { plural: 'endpointslices', singular: 'endpointslice' },
  verbs: STANDARD_VERBS,
  schema: types.type('discovery.EndpointSlice'),
  setDefaults: setEndpointSliceDefaults,
  table: endpointSliceTable,
}

export const endpointSliceResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'endpointslices', version: v1 },
  strategy: endpointSliceStrategy,
}
