import type { CertificateSigningRequest } from '../../../api/certificates/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { HookContext, Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { humanDuration } from '../../../lib/human-duration.ts'
import { age } from '../../../meta/age.ts'
import { nameIsPathSegment } from '../../../meta/names.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { keepMembers, STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { APPROVED, allConditions, conditionsOf, DENIED, FAILED, keepConditions, setConditionTimes } from './conditions.ts'
import { validateApproval, validateCertificateSigningRequest, validateStatus } from './validation.ts'

/** Sets the requester to the user of the request, whatever the body contains. */
function setRequester({ spec }: CertificateSigningRequest, { request }: HookContext): void {
  for (const member of ['username', 'uid', 'groups', 'extra'] as const) delete spec[member]
  const user = request?.user
  if (!user) return
  if (user.name !== '') spec.username = user.name
  if (user.uid) spec.uid = user.uid
  if (user.groups.length > 0) spec.groups = [...user.groups]
  const extra = Object.entries(user.extra ?? {})
  if (extra.length > 0) spec.extra = Object.fromEntries(extra.map(([key, values]) => [key, [...values]]))
}

const certificateSigningRequestStrategy: Strategy<CertificateSigningRequest> = {
  // Any name is valid.
  validateName: nameIsPathSegment,
  metaRounds: ['whole', 'change'],
  resetFields: [['spec'], ['status']],
  prepare(next, old, ctx) {
    if (old) keepMembers(next, old, 'spec', 'status')
    else {
      setRequester(next, ctx)
      next.status = {}
    }
  },
  validate: validateCertificateSigningRequest,
}

/** Strategy of `status`, which the signer writes: the certificate, and conditions other than the decision. */
const statusStrategy: Strategy<CertificateSigningRequest> = {
  declaredRules: true,
  validateName: nameIsPathSegment,
  metaRounds: ['whole', 'change'],
  resetFields: [['spec'], ['status', 'conditions']],
  prepare(next, old, { now }) {
    if (!old) return
    next.spec = old.spec
    keepConditions(next, old, APPROVED)
    keepConditions(next, old, DENIED)
    setConditionTimes(next, old, now)
  },
  validate: validateStatus,
}

/** Strategy of `approval`, which the approver writes: conditions. */
const approvalStrategy: Strategy<CertificateSigningRequest> = {
  declaredRules: true,
  validateName: nameIsPathSegment,
  metaRounds: ['whole', 'change'],
  resetFields: [['spec'], ['status', 'certificate']],
  prepare(next, old, { now }) {
    if (!old) return
    setConditionTimes(next, old, now)
    const conditions = allConditions(next)
    next.spec = old.spec
    next.status = { ...old.status }
    if (conditions.length > 0) next.status.conditions = conditions
    else delete next.status.conditions
  },
  validate: validateApproval,
}

/** Prints `Pending`, `Approved,Issued`, `Denied` and the like. */
function conditionCell(request: CertificateSigningRequest): string {
  const has = (type: string): boolean => conditionsOf(request, type).length > 0
  const decision = has(DENIED) ? 'Denied' : has(APPROVED) ? 'Approved' : 'Pending'
  return `${decision}${has(FAILED) ? ',Failed' : ''}${request.status.certificate ? ',Issued' : ''}`
}

const table: TableDefinition<CertificateSigningRequest> = {
  columns: [
    nameColumn,
    ageColumn,
    column('SignerName', 'Signer of the request.'),
    column('Requestor', 'User of the request.'),
    column('RequestedDuration', 'Requested validity of the certificate.'),
    column('Condition', 'Decision, and whether the certificate was issued.'),
  ],
  cells: (object, now) => {
    const { metadata, spec } = object
    const { expirationSeconds: seconds } = spec
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

const v1: Version<CertificateSigningRequest> = {
  group: 'certificates.k8s.io',
  name: 'v1',
  kind: 'CertificateSigningRequest',
  names: { plural: 'certificatesigningrequests', singular: 'certificatesigningrequest', shortNames: ['csr'] },
  verbs: STANDARD_VERBS,
  schema: types.type('certificates.CertificateSigningRequest'),
  table,
  selectableFields: { 'spec.signerName': ({ spec }) => spec.signerName },
  subresources: {
    approval: { verbs: STATUS_VERBS, strategy: approvalStrategy },
    status: { verbs: STATUS_VERBS, strategy: statusStrategy },
  },
}

/**
 * A request for a certificate. Its spec is immutable; the approver writes the subresource `approval`, and the signer
 * `status`. The plugins of signer-admission.ts check their permissions.
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/ Source of its rules:
 * pkg/registry/certificates/certificates.
 */
export const certificateSigningRequestResource = defineResource<CertificateSigningRequest>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'certificatesigningrequests', version: v1 },
  strategy: certificateSigningRequestStrategy,
})
