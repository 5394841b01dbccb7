import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { setSecretDefaults } from './defaults.ts'
import { validateSecret } from './validation.ts'

const v1: Version = {
  group: '',
  name: 'v1',
  kind: 'Secret',
  names: { plural: 'secrets', singular: 'secret' },
  verbs: STANDARD_VERBS,
  schema: types.type('core.Secret'),
  setDefaults: setSecretDefaults,
  table: {
    columns: [nameColumn, column('Type', 'What the data is for, and so which keys it must have.'), column('Data', 'How many keys there are.'), ageColumn],
    cells: ({ metadata, type, data }, now) => [metadata.name ?? '', type ?? '', Object.keys(data ?? {}).length, age(metadata.creationTimestamp, now)],
  },
  selectableFields: { type: secret => secret.type ?? '' },
}

export const secretResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'secrets', version: v1 },
  strategy: { revalidatesMeta: true, validate: validateSecret },
}
