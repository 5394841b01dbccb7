import type { PodCertificateRequest as StablePodCertificateRequest } from '../../../api/certificates/v1.types.ts'
import type { PodCertificateRequest } from '../../../api/certificates/v1beta1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import type { HookContext, Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { quote } from '../../../lib/go-quote.ts'
import { isSince } from '../../../lifecycle/release.ts'
import type { Authorizer } from '../../../meta/authorizer.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { type FieldError, forbidden } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { column, nameColumn } from '../../shared/columns.ts'
import { statusAloneStrategy, withholdStatus } from '../../shared/status-metadata.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { maySign } from '../signer-rights.ts'
import { validatePodCertificateRequest, validatePodCertificateStatus } from './validation.ts'

/** Members of every version by which requests are selected. */
type Selected = { readonly spec: Pick<PodCertificateRequest['spec'], 'signerName' | 'podName' | 'nodeName'> }

const COLUMNS = [
  nameColumn,
  column('PodName', 'Pod of the certificate.'),
  column('ServiceAccountName', 'Service account of the pod.'),
  column('NodeName', 'Node that runs the pod.'),
  column('SignerName', 'Signer of the request.'),
  column('State', 'Whether the request is Pending, Issued, Denied or Failed.'),
]

const firstCells = ({ metadata, spec, status }: PodCertificateRequest): string[] => [
  metadata.name ?? '',
  spec.podName,
  spec.serviceAccountName,
  spec.nodeName,
  spec.signerName,
  status.conditions?.findLast(({ type }) => ['Issued', 'Denied', 'Failed'].includes(type))?.type ?? 'Pending',
]

const table: TableDefinition<PodCertificateRequest> = { columns: COLUMNS, cells: firstCells }

const tableWithAnnotations: TableDefinition<PodCertificateRequest> = {
  columns: [...COLUMNS, column('UnverifiedUserAnnotations', 'Annotations for the signer.')],
  cells: request => [...firstCells(request), annotationsCell(request)],
}

/** Prints annotations as `a.io/x=1,b.io/y=2`. */
function annotationsCell({ spec: { unverifiedUserAnnotations = {} } }: PodCertificateRequest): string {
  const pairs = Object.entries(unverifiedUserAnnotations).map(([key, value]) => `${key}=${value}`)
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',')
}

const strategy: Strategy<PodCertificateRequest> = {
  allowUnconditionalUpdate: false,
  prepare: (next, old) => withholdStatus(next, old),
  validate: (next, old, { features }) => validatePodCertificateRequest(next, old, features.release),
}

/**
 * A client that writes the status needs the verb `sign` for the signer. This is checked if there are no other errors.
 */
const statusStrategy = (authorizer: Authorizer): Strategy<PodCertificateRequest> => ({
  ...statusAloneStrategy<PodCertificateRequest>({
    allowUnconditionalUpdate: false,
    validate: (next, old, { now, features }) => validatePodCertificateStatus(next, old, { now, release: features.release }),
  }),
  resetFields: [['spec']],
  evaluate: async (next, old, ctx, errors) =>
    errors.length > 0 || !old || deepEqual(next.status, old.status) ? [] : validateSigner(old, ctx, authorizer),
})

async function validateSigner(
  { spec: { signerName } }: PodCertificateRequest,
  { request }: HookContext,
  authorizer: Authorizer,
): Promise<FieldError[]> {
  // Requests of the server itself are always allowed.
  if (!request || (await maySign(authorizer, request, 'sign', signerName))) return []
  return [
    forbidden(
      fieldPath('spec', 'signerName'),
      `User ${quote(request.user.name)} is not permitted to "sign" for signer ${quote(signerName)}`,
    ),
  ]
}

const selectableFields: Record<string, (request: Selected) => string> = {
  'spec.signerName': ({ spec }) => spec.signerName,
  'spec.podName': ({ spec }) => spec.podName,
  'spec.nodeName': ({ spec }) => spec.nodeName,
}

const v1beta1Of = (authorizer: Authorizer): Version<PodCertificateRequest> => ({
  group: 'certificates.k8s.io',
  name: 'v1beta1',
  kind: 'PodCertificateRequest',
  names: { plural: 'podcertificaterequests', singular: 'podcertificaterequest' },
  verbs: STANDARD_VERBS,
  schema: types.type('certificatesv1beta1.PodCertificateRequest'),
  table,
  tableIn: release => (isSince(release, '1.35') ? tableWithAnnotations : table),
  selectableFields,
  subresources: { status: { verbs: STATUS_VERBS, strategy: statusStrategy(authorizer) } },
})

/** Derives v1, in which a request has a PKCS#10 request only. The key and the proof of v1beta1 are dropped. */
const stableOf = ({
  group,
  kind,
  names,
  verbs,
  subresources = {},
}: Version<PodCertificateRequest>): Version<StablePodCertificateRequest, PodCertificateRequest> => ({
  group,
  name: 'v1',
  kind,
  names,
  verbs,
  subresources,
  schema: types.type('certificates.PodCertificateRequest'),
  toHub: ({ spec, ...request }) => ({ ...request, spec: { ...spec, pkixPublicKey: null, proofOfPossession: null } }),
  fromHub: ({ spec: { pkixPublicKey: _, proofOfPossession: __, ...spec }, ...request }) => ({ ...request, spec }),
  selectableFields,
})

/**
 * A kubelet's request for a certificate of a pod on its node. 1.34 has v1alpha1, later releases v1beta1, which differs
 * only in fields; both need a gate. 1.37 serves v1 by default.
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#pod-certificate-requests Source
 * of its rules: pkg/registry/certificates/podcertificaterequest.
 */
export function createPodCertificateRequestResource(authorizer: Authorizer): ResourceDefinition {
  const v1beta1 = v1beta1Of(authorizer)
  const v1alpha1: Version<PodCertificateRequest> = {
    ...v1beta1,
    name: 'v1alpha1',
    schema: types.type('certificatesv1alpha1.PodCertificateRequest'),
  }
  return defineResource<PodCertificateRequest>({
    scope: 'Namespaced',
    versions: [stableOf(v1beta1), v1beta1, v1alpha1],
    hub: v1beta1,
    storage: { prefix: 'podcertificaterequests', version: v1beta1 },
    strategy,
  })
}
