import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { setDefinitionDefaults, setOlderDefinitionDefaults } from './defaults.ts'
import { definitionStatusStrategy, definitionStrategy } from './strategy.ts'
import { fromV1, toV1 } from './v1beta1/convert.ts'

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

/** Stored and not served, as in every release: it is smaller, for what all versions have alike stands in it once. */
const v1beta1: Version = {
  ...v1,
  name: 'v1beta1',
  schema: types.type('apiextensionsV1beta1.CustomResourceDefinition'),
  setDefaults: setOlderDefinitionDefaults,
  toHome: toV1,
  fromHome: fromV1,
}

export const customResourceDefinitionResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  unserved: [v1beta1],
  home: v1,
  storage: { prefix: 'apiextensions.k8s.io/customresourcedefinitions', version: v1beta1 },
  strategy: definitionStrategy,
}
