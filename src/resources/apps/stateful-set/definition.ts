import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { scaleSubresource } from '../../autoscaling/scale/view.ts'
import { STATUS_VERBS } from '../../strategy-parts.ts'
import { appsVersion } from '../shared/kind.ts'
import { scaleSelector } from '../shared/scale-selector.ts'
import { setStatefulSetDefaults } from './defaults.ts'
import { statefulSetStatusStrategy, statefulSetStrategy } from './strategy.ts'
import { statefulSetTable } from './table.ts'

const v1: Version = {
  ...appsVersion('StatefulSet', { plural: 'statefulsets', singular: 'statefulset', shortNames: ['sts'] }),
  setDefaults: setStatefulSetDefaults,
  table: statefulSetTable,
  subresources: { scale: scaleSubresource(scaleSelector), status: { verbs: STATUS_VERBS, strategy: statefulSetStatusStrategy } },
}

export const statefulSetResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'statefulsets', version: v1 },
  strategy: statefulSetStrategy,
}
