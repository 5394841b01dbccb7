import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { validateConfigMap } from './validation.ts'

const sizeOf = (map: object | undefined): number => (map === undefined ? 0 : Object.keys(map).length)

const v1: Version = {
  group: '',
  name: 'v1',
  kind: 'ConfigMap',
  names: { plural: 'configmaps', singular: 'configmap', shortNames: ['cm'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.ConfigMap'),
  table: {
    columns: [nameColumn, column('Data', 'How many keys data and binaryData have.'), ageColumn],
    cells: ({ metadata, data, binaryData }, now) => [metadata.name ?? '', sizeOf(data) + sizeOf(binaryData), age(metadata.creationTimestamp, now)],
  },
}

export const configMapResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'configmaps', version: v1 },
  strategy: { revalidatesMeta: true, validate: validateConfigMap },
}
