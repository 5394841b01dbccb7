import type { Secret } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { HookContext, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { isWide, namesOf, noteMembers, wideNames } from '../../../lib/wide-objects.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { ownMember, setMember } from '../../../meta/equal.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { keyPairFault } from './key-pair.ts'
import { validateSecret } from './validation.ts'

/** Copies stringData, which is write-only, into data. It takes precedence over values that are already there. */
function setSecretDefaults(secret: Secret): Steps<void> | undefined {
  if (!secret.type) secret.type = 'Opaque'
  const texts = secret.stringData
  if (texts === undefined) return undefined
  delete secret.stringData
  return isWide(texts) || namesOf(texts).length > 0 ? encodeTexts(secret, texts) : undefined
}

function* encodeTexts(secret: Secret, texts: Readonly<Record<string, string>>): Steps<void> {
  const keys = isWide(texts) ? yield* wideNames(texts) : namesOf(texts)
  yield
  secret.data ??= {}
  noteMembers(secret.data, keys.length)
  for (const key of keys) {
    if (isStepDone()) yield
    setMember(secret.data, key, Buffer.from(texts[key] ?? '').toString('base64'))
  }
}

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
    cells: ({ metadata, type, data }, now) => [metadata.name ?? '', type ?? '', Object.keys(data ?? {}).length, age(metadata.creationTimestamp, now)],
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
