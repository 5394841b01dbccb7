import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { setMember } from '../../../meta/equal.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import type { Secret } from '../v1.types.ts'
import { validateSecret } from './validation.ts'

/** stringData is for writing only: its texts become values of data, and win over what is there. */
function setSecretDefaults(secret: Secret): void {
  if (!secret.type) secret.type = 'Opaque'
  const texts = secret.stringData
  if (texts === undefined) return
  delete secret.stringData
  if (Object.keys(texts).length === 0) return
  secret.data ??= {}
  for (const [key, text] of Object.entries(texts)) setMember(secret.data, key, Buffer.from(text).toString('base64'))
}

const v1: Version<Secret> = {
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

/**
 * Confidential data, in at most 1 MiB; its type never changes. `stringData` is written and never read.
 * https://kubernetes.io/docs/concepts/configuration/secret/
 * Source of its rules: pkg/registry/core/secret.
 */
export const secretResource = defineResource<Secret>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'secrets', version: v1 },
  strategy: { revalidatesMeta: true, validate: validateSecret },
})
