import type { CertificateSigningRequest, CertificateSigningRequestStatus } from '../../../api/certificates/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { formatTime } from '../../../meta/time.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, untilSynced } from '../../shared/environment.ts'
import { SIGNING_REQUESTS } from '../../shared/kinds.ts'
import { FIRST_RETRY_MS, requestContents, WORKERS } from '../../shared/signing-requests.ts'
import { isKnownSigner, isWaiting, signingFault } from './judge.ts'
import { signRequest } from './sign.ts'
import { certificateSeconds } from './validity.ts'

/** Signs approved requests to the signers of Kubernetes, with the authority of the server. A key is a request. */
export const certificateSigningController: ClusterPart = async (env, signal) => {
  const requests = env.informers.of(SIGNING_REQUESTS)
  const queue = queueOf(env, 'certificate_signing', signal, {
    workers: WORKERS,
    firstRetryMs: FIRST_RETRY_MS,
    async work(key) {
      const request = requests.store.get(key)
      if (!request || !isWaiting(request) || !isKnownSigner(request.spec.signerName)) return
      await env.client.update(SIGNING_REQUESTS, { ...request, status: await signedStatus(env, request) }, 'status')
    },
  })
  if (!(await untilSynced([requests], signal))) return
  const enqueue = (request: CertificateSigningRequest): void => queue.add(objectKey(request))
  requests.on({ added: enqueue, updated: enqueue })
  await untilAborted(signal)
}

/** Returns the status with the certificate, or with the condition that says why there is none. */
async function signedStatus(
  { authority, clock }: ClusterEnvironment,
  request: CertificateSigningRequest,
): Promise<CertificateSigningRequestStatus> {
  const { metadata, spec, status } = request
  const { signerName, usages = [], expirationSeconds } = spec
  const contents = requestContents(request)
  const now = clock.now()
  const message = signingFault(signerName, contents, usages)
  if (message !== undefined) {
    const time = formatTime(now)
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message,
      lastUpdateTime: time,
      lastTransitionTime: time,
    }
    return { ...status, conditions: [...(status.conditions ?? []), failed] }
  }
  const options = { usages, seconds: certificateSeconds(expirationSeconds), now, identity: metadata.uid ?? '' }
  return { ...status, certificate: Buffer.from(await signRequest(contents, await authority(), options)).toString('base64') }
}
