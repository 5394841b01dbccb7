import type { ServiceAccount } from '../../../api/core/v1.types.ts'
import type { Json } from '../../../api/meta/object.ts'
import type { TokenIssuer } from '../../../auth/authn/service-account/issuer.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { createTokenSubresource } from './token.ts'

const table: TableDefinition<ServiceAccount> = {
  columns: [nameColumn, column('Secrets', 'Number of secrets in the account.'), ageColumn],
  cells: ({ metadata, secrets }, now) => [metadata.name ?? '', secrets?.length ?? 0, age(metadata.creationTimestamp, now)],
}
const withoutSecrets = ([name = null, , created = null]: Json[]): Json[] => [name, created]

const v1: Version<ServiceAccount> = {
  group: '',
  name: 'v1',
  kind: 'ServiceAccount',
  names: { plural: 'serviceaccounts', singular: 'serviceaccount', shortNames: ['sa'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.ServiceAccount'),
  table,
  tableIn: release =>
    isSince(release, '1.35')
      ? { columns: [nameColumn, ageColumn], cells: (account, now) => withoutSecrets(table.cells(account, now)) }
      : table,
}

const MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets'
/** Reports whether the annotation exists, whatever its value. The warning is sent only for the write that adds it. */
const mentions = (account: ServiceAccount | undefined): boolean => Object.hasOwn(account?.metadata.annotations ?? {}, MOUNTABLE)

const strategy: Strategy<ServiceAccount> = {
  metaRounds: ['change', 'whole'],
  returnsDeleted: true,
  /** References to secrets keep only the name. */
  prepare(next) {
    if (next.secrets) next.secrets = next.secrets.map(({ name }) => (name ? { name } : {}))
  },
  warnings(next, old, { features: { release } }) {
    if (!isSince(release, '1.32') || !mentions(next) || mentions(old)) return []
    return [`metadata.annotations[${MOUNTABLE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`]
  },
}

/** `issuer` signs tokens of the accounts. Without one there is no `token` subresource. */
export function createServiceAccountResource(issuer: TokenIssuer | undefined, features: Features): ResourceDefinition {
  const version: Version<ServiceAccount> = issuer ? { ...v1, subresources: { token: createTokenSubresource(issuer, features) } } : v1
  return defineResource<ServiceAccount>({
    scope: 'Namespaced',
    versions: [version],
    hub: version,
    storage: { prefix: 'serviceaccounts', version },
    strategy,
  })
}
