import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { prepareGeneration } from '../spec-generation.ts'
import { validateIngressClass } from './validation.ts'

/** `CustomGroup.example.com/name` */
function parametersCell(parameters: KubeObject['spec']): string {
  if (!parameters) return '<none>'
  const { apiGroup, kind = '', name = '' } = parameters
  return `${kind}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name}`
}

const table: TableDefinition = {
  columns: [
    nameColumn,
    column('Controller', 'Who serves ingresses of the class.'),
    column('Parameters', 'The object that configures the controller.'),
    ageColumn,
  ],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', spec?.controller ?? '', parametersCell(spec?.parameters), age(metadata.creationTimestamp, now)],
}

const v1: Version = {
  group: 'networking.k8s.io',
  name: 'v1',
  kind: 'IngressClass',
  names: { plural: 'ingressclasses', singular: 'ingressclass' },
  verbs: STANDARD_VERBS,
  schema: types.type('networking.IngressClass'),
  setDefaults({ spec }) {
    if (spec?.parameters) spec.parameters.scope ??= 'Cluster'
  },
  table,
}

export const ingressClassResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  home: v1,
  storage: { prefix: 'ingressclasses', version: v1 },
  strategy: { revalidatesMeta: true, prepare: prepareGeneration, validate: validateIngressClass },
}
