import type { CustomResourceDefinition } from '../../../api/apiextensions/v1.types.ts'
import type { CustomResourceDefinition as OlderDefinition } from '../../../api/apiextensions/v1beta1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { setDefinitionDefaults, setOlderDefinitionDefaults } from './defaults.ts'
import { definitionStatusStrategy, definitionStrategy } from './strategy.ts'
import { definitionTable } from './table.ts'
import { definitionToV1, fromV1 } from './v1beta1/convert.ts'

/** Fields that both versions have in common. */
const kind = {
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  names: { plural: 'customresourcedefinitions', singular: 'customresourcedefinition', shortNames: ['crd', 'crds'] },
  categories: ['api-extensions'],
  verbs: STANDARD_VERBS,
  subresources: { status: { verbs: STATUS_VERBS, strategy: definitionStatusStrategy } },
}

const v1: Version<CustomResourceDefinition> = {
  ...kind,
  name: 'v1',
  schema: types.type('apiextensions.CustomResourceDefinition'),
  setDefaults: setDefinitionDefaults,
  tableIn: release => (isSince(release, '1.37') ? definitionTable : undefined),
}

/** Stored but not served, as in every release. It is smaller, since parts that all versions share are stored once. */
const v1beta1: Version<OlderDefinition, CustomResourceDefinition> = {
  ...kind,
  name: 'v1beta1',
  schema: types.type('apiextensionsV1beta1.CustomResourceDefinition'),
  setDefaults: setOlderDefinitionDefaults,
  toHub: definitionToV1,
  fromHub: fromV1,
}

/**
 * Defines a custom kind. Stored in v1beta1, which is not served, as in every release. src/extensions serves the kind
 * and writes the status.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/ Source of its rules:
 * staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition.
 */
export const customResourceDefinitionResource = defineResource<CustomResourceDefinition>({
  scope: 'Cluster',
  versions: [v1],
  unserved: [v1beta1],
  hub: v1,
  storage: { prefix: 'apiextensions.k8s.io/customresourcedefinitions', version: v1beta1 },
  strategy: definitionStrategy,
})
