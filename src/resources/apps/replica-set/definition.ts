import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { scaleSubresource } from '../../autoscaling/scale/view.ts'
import { STATUS_VERBS } from '../../strategy-parts.ts'
import { appsVersion } from '../shared/kind.ts'
import { scaleSelector } from '../shared/scale-selector.ts'
import { setReplicaSetDefaults } from './defaults.ts'
import { replicaSetStatusStrategy, replicaSetStrategy } from './strategy.ts'
import { replicaSetTable } from './table.ts'

const v1: Version = {
  ...appsVersion('ReplicaSet', { plural: 'replicasets', singular: 'replicaset', shortNames: ['rs'] }),
  setDefaults: setReplicaSetDefaults,
  table: replicaSetTable,
  selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
  subresources: { scale: scaleSubresource(scaleSelector), status: { verbs: STATUS_VERBS, strategy: replicaSetStatusStrategy } },
}

export const replicaSetResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'replicasets', version: v1 },
  strategy: replicaSetStrategy,
}
