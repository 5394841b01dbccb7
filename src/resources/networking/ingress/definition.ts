import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { ingressStatusStrategy, ingressStrategy } from './strategy.ts'
import { ingressTable } from './table.ts'

const v1: Version = {
  group: 'networking.k8s.io',
  name: 'v1',
  kind: 'Ingress',
  names: { plural: 'ingresses', singular: 'ingress', shortNames: ['ing'] },
  verbs: STANDARD_VERBS,
  schema: types.type('networking.Ingress'),
  table: ingressTable,
  subresources: { status: { verbs: STATUS_VERBS, strategy: ingressStatusStrategy } },
}

export const ingressResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'ingress', version: v1 },
  strategy: ingressStrategy,
}
