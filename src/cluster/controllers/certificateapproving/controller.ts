import type { CertificateSigningRequest } from '../../../api/certificates/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { formatTime } from '../../../meta/time.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, untilSynced } from '../../shared/environment.ts'
import { SIGNING_REQUESTS, SUBJECT_ACCESS_REVIEWS } from '../../shared/kinds.ts'
import { FIRST_RETRY_MS, hasSigningCondition, requestContents, WORKERS } from '../../shared/signing-requests.ts'
import { approvalMessage, approvalRights } from './recognize.ts'

/**
 * Approves requests for client certificates of kubelets whose requesters have the right to them. A key is a request.
 */
export const certificateApprovingController: ClusterPart = async (env, signal) => {
  const requests = env.informers.of(SIGNING_REQUESTS)
  const queue = queueOf(env, 'certificate_approving', signal, {
    workers: WORKERS,
    firstRetryMs: FIRST_RETRY_MS,
    async work(key) {
      const request = requests.store.get(key)
      if (request) await approve(env, request)
    },
  })
  if (!(await untilSynced([requests], signal))) return
  const enqueue = (request: CertificateSigningRequest): void => queue.add(objectKey(request))
  requests.on({ added: enqueue, updated: enqueue })
  await untilAborted(signal)
}

async function approve({ client, clock }: ClusterEnvironment, request: CertificateSigningRequest): Promise<void> {
  const { metadata, spec, status } = request
  if (status.certificate || hasSigningCondition(request, 'Approved') || hasSigningCondition(request, 'Denied')) return
  const rights = approvalRights(requestContents(request), spec)
  const message = await approvalMessage(rights, subresource => mayCreate(client, request, subresource))
  if (message === undefined) {
    // The requester may get the right later, as its retries find out.
    if (rights.length > 0) {
      const tried = rights.map(right => right.subresource).join(' ')
      throw new Error(`recognized csr "${metadata.name}" as [${tried}] but subject access review was not approved`)
    }
    return
  }
  const now = formatTime(clock.now())
  const condition = { type: 'Approved', status: 'True', reason: 'AutoApproved', message, lastUpdateTime: now, lastTransitionTime: now }
  await client.update(
    SIGNING_REQUESTS,
    { ...request, status: { ...status, conditions: [...(status.conditions ?? []), condition] } },
    'approval',
  )
}

async function mayCreate(client: ClusterEnvironment['client'], { spec }: CertificateSigningRequest, subresource: string): Promise<boolean> {
  const { username: user = '', uid, groups, extra } = spec
  const { status } = await client.create(SUBJECT_ACCESS_REVIEWS, {
    kind: 'SubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec: {
      user,
      ...(uid !== undefined && { uid }),
      ...(groups && { groups }),
      ...(extra && { extra }),
      resourceAttributes: { group: 'certificates.k8s.io', resource: 'certificatesigningrequests', verb: 'create', subresource },
    },
    status: { allowed: false },
  })
  return status.allowed
}
