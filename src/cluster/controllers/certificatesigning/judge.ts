import type { CertificateSigningRequest } from '../../../api/certificates/v1.types.ts'
import {
  CLIENT_SIGNER,
  hasSigningCondition,
  type JudgedRequest,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  kubeletClientFault,
  kubeletServingFault,
  LEGACY_SIGNER,
} from '../../shared/signing-requests.ts'

/** Whether a request waits for a certificate: it is approved, and has neither a certificate nor failed. */
export const isWaiting = (request: CertificateSigningRequest): boolean =>
  !request.status.certificate &&
  hasSigningCondition(request, 'Approved') &&
  !hasSigningCondition(request, 'Denied') &&
  !hasSigningCondition(request, 'Failed')

type Judge = (request: JudgedRequest, usages: readonly string[]) => string | undefined

/** Rules of the signers of Kubernetes. Other signers belong to other programs. */
const SIGNERS: Readonly<Record<string, Judge>> = {
  [CLIENT_SIGNER]: (_request, usages) => clientUsageFault(usages),
  [KUBELET_CLIENT_SIGNER]: kubeletClientFault,
  [KUBELET_SERVING_SIGNER]: kubeletServingFault,
  [LEGACY_SIGNER]: () => undefined,
}

const OPTIONAL_USAGES = ['digital signature', 'key encipherment']
const CLIENT_AUTH = 'client auth'

function clientUsageFault(usages: readonly string[]): string | undefined {
  const other = usages.find(usage => usage !== CLIENT_AUTH && !OPTIONAL_USAGES.includes(usage))
  if (other !== undefined) return `invalid usage for client certificate: ${other}`
  return usages.includes(CLIENT_AUTH) ? undefined : `missing required usage for client certificate: ${CLIENT_AUTH}`
}

export const isKnownSigner = (signerName: string): boolean => Object.hasOwn(SIGNERS, signerName)

/**
 * Returns why a signer refuses a request, as the condition Failed says. Undefined if it signs it. @param signerName a
 * known signer.
 */
export const signingFault = (signerName: string, request: JudgedRequest, usages: readonly string[]): string | undefined =>
  SIGNERS[signerName]?.(request, usages)
