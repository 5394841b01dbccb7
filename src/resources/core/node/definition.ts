import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { setNodeDefaults } from './defaults.ts'
import { nodeProxySubresource } from './proxy.ts'
import { nodeStatusStrategy, nodeStrategy } from './strategy.ts'
import { nodeTable } from './table.ts'

const v1: Version = {
  group: '',
  name: 'v1',
  kind: 'Node',
  names: { plural: 'nodes', singular: 'node', shortNames: ['no'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.Node'),
  setDefaults: setNodeDefaults,
  table: nodeTable,
  selectableFields: { 'spec.unschedulable': node => String(node.spec?.unschedulable === true) },
  subresources: { proxy: nodeProxySubresource, status: { verbs: STATUS_VERBS, strategy: nodeStatusStrategy } },
}

export const nodeResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  home: v1,
  storage: { prefix: 'minions', version: v1 },
  strategy: nodeStrategy,
}
