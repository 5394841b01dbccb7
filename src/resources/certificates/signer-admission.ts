import type { AdmissionPlugin } from '../../admission/chain.ts'
import { refuse } from '../../admission/refuse.ts'
import type { TypedObject } from '../../api/meta/object.ts'
import { asKind } from '../../catalog/define.ts'
import { organizationsOf } from '../../lib/certificate-request.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { quote } from '../../lib/go-quote.ts'
import { startInTurns } from '../../lib/steps.ts'
import { type Authorizer, MASTERS } from '../../meta/authorizer.ts'
import { deepEqualBySize } from '../../meta/equal.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import { SIGNING_REQUESTS, TRUST_BUNDLES } from '../kinds.ts'
import { maySign } from './signer-rights.ts'

const GROUP = 'certificates.k8s.io'
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client'

const isAbout = ({ served, subresource }: AdmissionRequest, resource: string, sub: string): boolean =>
  served.version.group === GROUP && served.version.names.plural === resource && subresource === sub

/** Returns the signer of a request. Both kinds of updates have an old object. */
const signerOf = ({ old }: AdmissionRequest): string => (old ? asKind(SIGNING_REQUESTS, old).spec.signerName : '')

/** CertificateApproval requires the verb `approve` on the signer to write `approval`. */
export const certificateApproval = (authorizer: Authorizer): AdmissionPlugin => ({
  name: 'CertificateApproval',
  handles: request => request.operation === 'UPDATE' && isAbout(request, 'certificatesigningrequests', 'approval'),
  validate: async request => {
    const signer = signerOf(request)
    if (await maySign(authorizer, request.ctx, 'approve', signer)) return
    throw refuse(request, `user not permitted to approve requests with signerName ${quote(signer)}`)
  },
})

/** CertificateSigning requires the verb `sign` on the signer to write `status`. */
export const certificateSigning = (authorizer: Authorizer): AdmissionPlugin => ({
  name: 'CertificateSigning',
  handles: request => request.operation === 'UPDATE' && isAbout(request, 'certificatesigningrequests', 'status'),
  validate: async request => {
    const { object, old } = request
    if (!object || !old) return
    const { status: next } = asKind(SIGNING_REQUESTS, object)
    const { status: before } = asKind(SIGNING_REQUESTS, old)
    const isAnswer = next.certificate !== before.certificate || !(await startInTurns(deepEqualBySize(next.conditions, before.conditions)))
    const signer = signerOf(request)
    if (!isAnswer || (await maySign(authorizer, request.ctx, 'sign', signer))) return
    throw refuse(request, `user not permitted to sign requests with signerName ${quote(signer)}`)
  },
})

/** Returns the object without metadata that garbage collection and storage migration change. */
const lasting = ({ metadata, ...members }: TypedObject): object => {
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _managed, ...rest } = metadata
  return { ...members, metadata: rest }
}

/** ClusterTrustBundleAttest requires the verb `attest` on a signer to write its trust bundles. */
export const clusterTrustBundleAttest = (authorizer: Authorizer): AdmissionPlugin => ({
  name: 'ClusterTrustBundleAttest',
  handles: request => (request.operation === 'CREATE' || request.operation === 'UPDATE') && isAbout(request, 'clustertrustbundles', ''),
  validate: async request => {
    const { object, old } = request
    if (!object) return
    const { signerName: signer = '' } = asKind(TRUST_BUNDLES, object).spec
    if (signer === '' || (old && (await startInTurns(deepEqualBySize(lasting(object), lasting(old)))))) return
    if (await maySign(authorizer, request.ctx, 'attest', signer)) return
    throw refuse(request, `user not permitted to attest for signerName ${quote(signer)}`)
  },
})

function organizationsIn(request: AdmissionRequest, pem: string): string[] {
  try {
    return organizationsOf(pem)
  } catch (error) {
    throw refuse(request, `failed to parse CSR: ${errorMessage(error)}`)
  }
}

/** CertificateSubjectRestriction rejects requests for certificates with the group system:masters. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  handles: request => request.operation === 'CREATE' && isAbout(request, 'certificatesigningrequests', ''),
  validate: async request => {
    const { object } = request
    if (!object) return
    const { spec } = asKind(SIGNING_REQUESTS, object)
    if (spec.signerName !== CLIENT_SIGNER) return
    const pem = Buffer.from(spec.request ?? '', 'base64').toString('latin1')
    if (organizationsIn(request, pem).includes(MASTERS))
      throw refuse(request, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`)
  },
}
