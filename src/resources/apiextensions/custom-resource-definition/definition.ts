import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../strategy-parts.ts'
import { types } from '../../types.ts'
import { setDefinitionDefaults } from './defaults.ts'
import { definitionStatusStrategy, definitionStrategy } from './strategy.ts'

const v1: Version = {
  group: 'apiextensions.k8s.io',
  name: 'v1',
  kind: 'CustomResourceDefinition',
  names: { plural: 'customresourcedefinitions', singular: 'customresourcedefinition', shortNames: ['crd', 'crds'] },
  categories: ['api-extensions'],
  verbs: STANDARD_VERBS,
  schema: types.type('apiextensions.CustomResourceDefinition'),
  setDefaults: setDefinitionDefaults,
  subresources: { status: { verbs: STATUS_VERBS, strategy: definitionStatusStrategy } },
}

export const customResourceDefinitionResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  home: v1,
  storage: { prefix: 'apiextensions.k8s.io/customresourcedefinitions', version: v1, hashedVersion: 'v1beta1' },
  strategy: definitionStrategy,
}
