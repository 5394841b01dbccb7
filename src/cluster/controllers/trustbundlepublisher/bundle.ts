import { createHash } from 'node:crypto'
import type { ClusterTrustBundle } from '../../../api/certificates/v1.types.ts'
import type { ResourceKind } from '../../../clients/api-client.ts'
import { apiVersionOf } from '../../../meta/gvk.ts'

/** Signer of the certificates of API servers. */
export const SERVING_SIGNER = 'kubernetes.io/kube-apiserver-serving'

/** Returns the name of a bundle: its signer, and a hash of its certificates. */
export const bundleName = (signer: string, certificates: string): string =>
  `${signer.replaceAll('/', ':')}:${createHash('sha256').update(certificates).digest('hex').slice(0, 24)}`

/** Returns the bundle with the certificates by which clients verify API servers. */
export const servingBundle = (kind: ResourceKind<ClusterTrustBundle>, certificates: string): ClusterTrustBundle => ({
  kind: kind.kind,
  apiVersion: apiVersionOf(kind),
  metadata: { name: bundleName(SERVING_SIGNER, certificates) },
  spec: { signerName: SERVING_SIGNER, trustBundle: certificates },
})
