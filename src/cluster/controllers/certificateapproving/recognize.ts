import type { CertificateSigningRequest } from '../../../api/certificates/v1.types.ts'
import { type JudgedRequest, KUBELET_CLIENT_SIGNER, kubeletClientFault } from '../../shared/signing-requests.ts'

/** A right with which a requester's certificate is approved. */
export interface ApprovalRight {
  /** Subresource of certificatesigningrequests that the requester must be allowed to create. */
  readonly subresource: 'selfnodeclient' | 'nodeclient'
  /** Message of the condition. */
  readonly message: string
}

const SELF: ApprovalRight = {
  subresource: 'selfnodeclient',
  message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
}
const NODE: ApprovalRight = { subresource: 'nodeclient', message: 'Auto approving kubelet client certificate after SubjectAccessReview.' }

/**
 * Returns the rights of which one suffices to approve a request, in the order in which they are reviewed. Only client
 * certificates of kubelets have some.
 */
export function approvalRights(
  request: JudgedRequest,
  { signerName, usages = [], username }: CertificateSigningRequest['spec'],
): readonly ApprovalRight[] {
  if (signerName !== KUBELET_CLIENT_SIGNER || kubeletClientFault(request, usages) !== undefined) return []
  return username === request.commonName ? [SELF, NODE] : [NODE]
}

/** Returns the message for the first right that the requester has. Undefined if it has none. */
export async function approvalMessage(
  rights: readonly ApprovalRight[],
  mayCreate: (subresource: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const { subresource, message } of rights) if (await mayCreate(subresource)) return message
  return undefined
}
