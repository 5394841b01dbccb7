import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { setPersistentVolumeDefaults } from './defaults.ts'
import { persistentVolumeStatusStrategy, persistentVolumeStrategy } from './strategy.ts'
import { persistentVolumeTable } from './table.ts'

const v1: Version = {
  group: '',
  name: 'v1',
  kind: 'PersistentVolume',
  names: { plural: 'persistentvolumes', singular: 'persistentvolume', shortNames: ['pv'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.PersistentVolume'),
  setDefaults: setPersistentVolumeDefaults,
  table: persistentVolumeTable,
  subresources: { status: { verbs: STATUS_VERBS, strategy: persistentVolumeStatusStrategy } },
}

export const persistentVolumeResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  home: v1,
  storage: { prefix: 'persistentvolumes', version: v1 },
  strategy: persistentVolumeStrategy,
}
