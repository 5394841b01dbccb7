import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { humanDuration } from '../../../meta/human-duration.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { APPROVED, conditionsOf, DENIED, FAILED } from './conditions.ts'
import { approvalStrategy, certificateSigningRequestStrategy, statusStrategy } from './strategy.ts'

/** `Pending`, `Approved,Issued`, `Denied` … */
function conditionCell(request: KubeObject): string {
  const has = (type: string): boolean => conditionsOf(request, type).length > 0
  const decision = has(DENIED) ? 'Denied' : has(APPROVED) ? 'Approved' : 'Pending'
  return `${decision}${has(FAILED) ? ',Failed' : ''}${request.status?.certificate ? ',Issued' : ''}`
}

const table: TableDefinition = {
  columns: [
    nameColumn,
    ageColumn,
    column('SignerName', 'Who is to sign.'),
    column('Requestor', 'Who made the request.'),
    column('RequestedDuration', 'For how long the certificate is to be good.'),
    column('Condition', 'What has been decided and done.'),
  ],
  cells: (object, now) => {
    const { metadata, spec = {} } = object
    const seconds: number | undefined = spec.expirationSeconds
    return [
      metadata.name ?? '',
      age(metadata.creationTimestamp, now),
      spec.signerName || '<none>',
      spec.username ?? '',
      seconds === undefined ? '<none>' : humanDuration(seconds * 1000),
      conditionCell(object),
    ]
  },
}

const v1: Version = {
  group: 'certificates.k8s.io',
  name: 'v1',
  kind: 'CertificateSigningRequest',
  names: { plural: 'certificatesigningrequests', singular: 'certificatesigningrequest', shortNames: ['csr'] },
  verbs: STANDARD_VERBS,
  schema: types.type('certificates.CertificateSigningRequest'),
  table,
  selectableFields: { 'spec.signerName': ({ spec }) => spec?.signerName ?? '' },
  subresources: {
    approval: { verbs: STATUS_VERBS, strategy: approvalStrategy },
    status: { verbs: STATUS_VERBS, strategy: statusStrategy },
  },
}

export const certificateSigningRequestResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  home: v1,
  storage: { prefix: 'certificatesigningrequests', version: v1 },
  strategy: certificateSigningRequestStrategy,
}
