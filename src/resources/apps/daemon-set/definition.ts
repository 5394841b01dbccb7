import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { STATUS_VERBS } from '../../strategy-parts.ts'
import { appsVersion } from '../shared/kind.ts'
import { setDaemonSetDefaults } from './defaults.ts'
import { daemonSetStatusStrategy, daemonSetStrategy } from './strategy.ts'
import { daemonSetTable } from './table.ts'

const v1: Version = {
  ...appsVersion('DaemonSet', { plural: 'daemonsets', singular: 'daemonset', shortNames: ['ds'] }),
  setDefaults: setDaemonSetDefaults,
  table: daemonSetTable,
  subresources: { status: { verbs: STATUS_VERBS, strategy: daemonSetStatusStrategy } },
}

export const daemonSetResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'daemonsets', version: v1 },
  strategy: daemonSetStrategy,
}
