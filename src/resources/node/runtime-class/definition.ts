import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { runtimeClassWarnings, validateRuntimeClass } from './validation.ts'

const table: TableDefinition = {
  columns: [nameColumn, column('Handler', 'What the container runtime calls it.'), ageColumn],
  cells: ({ metadata, handler }, now) => [metadata.name ?? '', handler ?? '', age(metadata.creationTimestamp, now)],
}

const v1: Version = {
  group: 'node.k8s.io',
  name: 'v1',
  kind: 'RuntimeClass',
  names: { plural: 'runtimeclasses', singular: 'runtimeclass' },
  verbs: STANDARD_VERBS,
  schema: types.type('node.RuntimeClass'),
  table,
}

export const runtimeClassResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  home: v1,
  storage: { prefix: 'runtimeclasses', version: v1 },
  strategy: { allowUnconditionalUpdate: false, revalidatesMeta: true, validate: validateRuntimeClass, warnings: runtimeClassWarnings },
}
