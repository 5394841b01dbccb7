import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { requestConversion } from '../conversion.ts'
import { setOlderRequestDefaults, setRequestDefaults } from '../defaults.ts'
import { olderVersions, resourceVersion } from '../version.ts'
import { claimStatusStrategy, claimStrategy } from './strategy.ts'

/** `pending`, `allocated,reserved`, `deleted,allocated` … */
function stateCell({ metadata, status }: KubeObject): string {
  const states = metadata.deletionTimestamp ? ['deleted'] : []
  if (status?.allocation) states.push('allocated', ...((status.reservedFor ?? []).length > 0 ? ['reserved'] : []))
  else if (!metadata.deletionTimestamp) states.push('pending')
  return states.join(',')
}

const table: TableDefinition = {
  columns: [nameColumn, column('State', 'Whether it is allocated, and in use.'), ageColumn],
  cells: (claim, now) => [claim.metadata.name ?? '', stateCell(claim), age(claim.metadata.creationTimestamp, now)],
}

const v1beta2: Version = {
  ...resourceVersion('ResourceClaim', { plural: 'resourceclaims', singular: 'resourceclaim' }),
  setDefaults: ({ spec }) => setRequestDefaults(spec?.devices),
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: claimStatusStrategy } },
}

const [v1beta1, v1alpha3] = olderVersions(v1beta2, () => ({
  ...requestConversion(({ spec }) => spec?.devices),
  setDefaults: ({ spec }) => setOlderRequestDefaults(spec?.devices),
}))

export const resourceClaimResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1beta2, v1beta1, v1alpha3],
  hub: v1beta2,
  storage: { prefix: 'resourceclaims', version: v1beta1 },
  strategy: claimStrategy,
}
