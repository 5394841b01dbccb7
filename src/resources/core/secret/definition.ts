import type { Secret } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { ownMember } from '../../../meta/equal.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { setSecretDefaults } from './defaults.ts'
import { keyPairFault } from './key-pair.ts'
import { validateSecret } from './validation.ts'

/** Warns of a TLS key pair that cannot be used, since 1.27. The secret is stored nevertheless. */
function pairWarnings({ type, data }: Secret, _: Secret | undefined, { features }: HookContext): string[] {
  if (type !== 'kubernetes.io/tls' || !isSince(features.release, '1.27')) return []
  const textOf = (key: string): string => Buffer.from(ownMember(data, key) ?? '', 'base64').toString('latin1')
  const fault = keyPairFault(textOf('tls.crt'), textOf('tls.key'))
  return fault === undefined ? [] : [fault]
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
    columns: [nameColumn, column('Type', 'Type of the secret.'), column('Data', 'Number of keys.'), ageColumn],
    cells: ({ metadata, type, data }, now) => [
      metadata.name ?? '',
      type ?? '',
      Object.keys(data ?? {}).length,
      age(metadata.creationTimestamp, now),
    ],
  },
  selectableFields: { type: secret => secret.type ?? '' },
}

/**
 * Confidential data, at most 1 MiB. The type never changes. `stringData` is write-only.
 * https://kubernetes.io/docs/concepts/configuration/secret/
 * Source of its rules: pkg/registry/core/secret.
 */
export const secretResource = defineResource<Secret>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'secrets', version: v1 },
  strategy: { metaRounds: ['change', 'whole'], validate: validateSecret, warnings: pairWarnings },
})
