import type { CertificateSigningRequest } from '../../../api/certificates/v1.types.ts'
import { timeMillis } from '../../../meta/time.ts'

const HOUR_MS = 3_600_000
/** Time for which a request is kept after its decision, and without one, in milliseconds. */
const [DECIDED_MS, PENDING_MS] = [HOUR_MS, 24 * HOUR_MS]

/**
 * Returns the time after which a request is deleted, in milliseconds since the epoch. Undefined if it stays: it is
 * approved and waits for a certificate.
 * @param certificateEnds end of the validity of the certificate. Undefined if there is none.
 */
export function cleanupTime({ metadata, status }: CertificateSigningRequest, certificateEnds: number | undefined): number | undefined {
  const { conditions = [] } = status
  const created = timeMillis(metadata.creationTimestamp)
  const times = conditions.length === 0 && created !== undefined ? [created + PENDING_MS] : []
  for (const { type, lastUpdateTime } of conditions) {
    const isOver = type === 'Denied' || type === 'Failed' || (type === 'Approved' && certificateEnds !== undefined)
    const updated = timeMillis(lastUpdateTime)
    if (isOver && updated !== undefined) times.push(updated + DECIDED_MS)
    if (type === 'Approved' && certificateEnds !== undefined) times.push(certificateEnds)
  }
  return times.length === 0 ? undefined : Math.min(...times)
}
