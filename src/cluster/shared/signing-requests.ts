import type { CertificateSigningRequest } from '../../api/certificates/v1.types.ts'
import { type CertificateRequestContents, parseCertificateRequest } from '../../lib/certificate-request.ts'

/**
 * Signers of certificates.k8s.io:
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers
 */
export const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client'
export const KUBELET_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet'
export const KUBELET_SERVING_SIGNER = 'kubernetes.io/kubelet-serving'
export const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown'

/** Delay after the first failure to process a request, in milliseconds, as upstream's certificate controllers. */
export const FIRST_RETRY_MS = 200
/** Requests that are processed at the same time, as upstream. */
export const WORKERS = 5

/** Whether a condition is true: `Approved`, `Denied` or `Failed`. */
export const hasSigningCondition = ({ status }: CertificateSigningRequest, type: string): boolean =>
  (status.conditions ?? []).some(condition => condition.type === type && condition.status === 'True')

/** Parses the PKCS#10 request of an object. Throws an Error that names the object if it cannot be parsed. */
export const requestContents = ({ spec: { request } }: CertificateSigningRequest): CertificateRequestContents =>
  parseCertificateRequest(Buffer.from(request ?? '', 'base64').toString('latin1'))

/** The parts of a request by which a signer judges it. */
export type JudgedRequest = Pick<CertificateRequestContents, 'organizations' | 'commonName' | 'dns' | 'ips' | 'emails' | 'uris'>

/** Prefix of the user names of kubelets. */
const NODE_PREFIX = 'system:node:'

/** Faults that requests of both kinds can have, in upstream's words. */
const NOT_OF_NODES = 'subject organization is not system:nodes'
const NO_NODE_NAME = 'subject common name does not begin with system:node:'

const isOfNodes = ({ organizations }: JudgedRequest): boolean => organizations.length === 1 && organizations[0] === 'system:nodes'

/** Usages that the certificates of kubelets have. Encipherment is only for RSA keys, and may be left out. */
const [CLIENT_USAGES, SERVING_USAGES] = (['client auth', 'server auth'] as const).map(purpose =>
  ['digital signature', 'key encipherment', purpose].sort(),
) as [string[], string[]]

/** Returns why usages are not the required ones. Their order does not matter. */
function usagesFault(usages: readonly string[], required: readonly string[]): string | undefined {
  const given = [...new Set(usages)]
  const matches = [required, required.filter(usage => usage !== 'key encipherment')].some(
    wanted => wanted.length === given.length && wanted.every(usage => given.includes(usage)),
  )
  return matches ? undefined : `usages did not match [${required.join(' ')}]`
}

/** Returns why a request is not one for the client certificate of a kubelet. Undefined if it is. */
export function kubeletClientFault(request: JudgedRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return NOT_OF_NODES
  if (request.dns.length > 0) return 'DNS subjectAltNames are not allowed'
  if (request.emails.length > 0) return 'Email subjectAltNames are not allowed'
  if (request.ips.length > 0) return 'IP subjectAltNames are not allowed'
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed'
  if (!request.commonName.startsWith(NODE_PREFIX)) return NO_NODE_NAME
  return usagesFault(usages, CLIENT_USAGES)
}

/** Returns why a request is not one for the serving certificate of a kubelet. Undefined if it is. */
export function kubeletServingFault(request: JudgedRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return NOT_OF_NODES
  if (request.dns.length === 0 && request.ips.length === 0) return 'DNS or IP subjectAltName is required'
  if (request.emails.length > 0) return 'Email subjectAltNames are not allowed'
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed'
  return usagesFault(usages, SERVING_USAGES) ?? (request.commonName.startsWith(NODE_PREFIX) ? undefined : NO_NODE_NAME)
}
