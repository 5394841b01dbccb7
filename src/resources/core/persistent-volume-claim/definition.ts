import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { setClaimDefaults } from './defaults.ts'
import { claimStatusStrategy, claimStrategy } from './strategy.ts'
import { claimTable } from './table.ts'

const v1: Version = {
  group: '',
  name: 'v1',
  kind: 'PersistentVolumeClaim',
  names: { plural: 'persistentvolumeclaims', singular: 'persistentvolumeclaim', shortNames: ['pvc'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.PersistentVolumeClaim'),
  setDefaults: setClaimDefaults,
  table: claimTable,
  subresources: { status: { verbs: STATUS_VERBS, strategy: claimStatusStrategy } },
}

export const persistentVolumeClaimResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'persistentvolumeclaims', version: v1 },
  strategy: claimStrategy,
}
