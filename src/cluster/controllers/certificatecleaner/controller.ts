import { X509Certificate } from 'node:crypto'
import type { CertificateSigningRequest } from '../../../api/certificates/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { undefinedIfNotFound } from '../../../meta/status.ts'
import { type ClusterPart, queueOf, untilSynced } from '../../shared/environment.ts'
import { SIGNING_REQUESTS } from '../../shared/kinds.ts'
import { cleanupTime } from './expiry.ts'

/**
 * Deletes certificate signing requests some time after they were decided, or were not. A key is a request. Upstream
 * looks for them once an hour.
 */
export const certificateCleaner: ClusterPart = async (env, signal) => {
  const requests = env.informers.of(SIGNING_REQUESTS)
  const queue = queueOf(env, 'certificate_cleaner', signal, {
    workers: 1,
    async work(key) {
      const request = requests.store.get(key)
      const time = request && cleanupTime(request, certificateEnd(request))
      if (!request || time === undefined) return
      const wait = time - env.clock.now()
      if (wait >= 0) return queue.addAfter(key, wait + 1)
      const { name = '', uid = '' } = request.metadata
      await env.client.delete(SIGNING_REQUESTS, '', name, { uid }).catch(undefinedIfNotFound)
    },
  })
  if (!(await untilSynced([requests], signal))) return
  const enqueue = (request: CertificateSigningRequest): void => queue.add(objectKey(request))
  requests.on({ added: enqueue, updated: enqueue })
  await untilAborted(signal)
}

/** Returns the end of the validity of the first certificate. Undefined if there is none. */
const certificateEnd = ({ status: { certificate } }: CertificateSigningRequest): number | undefined =>
  certificate ? Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo) : undefined
