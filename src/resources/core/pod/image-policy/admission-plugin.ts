import { annotateEvent } from '../../../../admission/audit-annotation.ts'
import type { AdmissionPlugin } from '../../../../admission/chain.ts'
import { isAbout, refuse } from '../../../../admission/refuse.ts'
import type { Pod } from '../../../../api/core/v1.types.ts'
import { asKind } from '../../../../catalog/define.ts'
import { types } from '../../../../catalog/types.ts'
import { withBackoff } from '../../../../clients/backoff.ts'
import type { Clock } from '../../../../lib/clock.ts'
import { errorMessage } from '../../../../lib/error-message.ts'
import { expiringCache } from '../../../../lib/expiring-cache.ts'
import type { Features } from '../../../../lifecycle/gates.ts'
import { uncreated } from '../../../../lifecycle/uncreated.ts'
import type { AdmissionRequest } from '../../../../registry/types.ts'
import { PODS } from '../../../kinds.ts'
import { IMAGE_POLICY_PLUGIN, type ImagePolicy } from './configuration.ts'
import { type ImageVerdict, type ReviewedImages, readReview, reviewKey, reviewText, specText } from './review.ts'

const EPHEMERAL = 'ephemeralcontainers'
const AUDIT_PREFIX = 'imagepolicywebhook.image-policy.k8s.io/'
/** Annotation of the pod, in addition to that of the audit event. */
const FAILED_OPEN = 'alpha.image-policy.k8s.io/failed-open'
/** Infix of pod annotations that are sent to the webhook. */
const SHOWN = '.image-policy.k8s.io/'
/** Limits of the cache of verdicts: the number of entries, and the bytes of one. A larger verdict is not cached. */
const MOST_ANSWERS = 1024
const MOST_ANSWER_BYTES = 64 * 1024

/** Returns the images and annotations of a pod that are sent to the webhook. */
function reviewed({ spec, metadata }: Pod, { subresource, namespace }: AdmissionRequest): ReviewedImages {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec
  const asked = subresource === EPHEMERAL ? ephemeralContainers : [...(containers ?? []), ...initContainers]
  const shown = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.includes(SHOWN))
  return { images: asked.map(({ image }) => image ?? ''), annotations: Object.fromEntries(shown), namespace }
}

/** The configured policy, and the clock by which its cached verdicts expire. */
export interface ImagePolicyEnvironment {
  readonly policy: ImagePolicy
  /** Monotonic clock. */
  readonly clock: Clock
  readonly features: Features
}

/**
 * ImagePolicyWebhook lets a webhook accept or reject pods by their images.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#imagepolicywebhook
 */
export function imagePolicyWebhook({ policy, clock, features }: ImagePolicyEnvironment): AdmissionPlugin {
  const answers = expiringCache<ImageVerdict>(MOST_ANSWERS, () => clock.now())
  const ask = async (spec: string, { ctx }: AdmissionRequest): Promise<ImageVerdict> => {
    const key = reviewKey(spec)
    const known = answers.get(key)
    if (known) return known
    const text = reviewText(spec, uncreated(features.release))
    const { body } = await withBackoff(policy.backoff, ctx.signal, () => policy.client.post(text, ctx.signal))
    const verdict = await readReview(body, types.type('imagepolicyV1alpha1.ImageReview'))
    if (body.length <= MOST_ANSWER_BYTES) answers.set(key, verdict, verdict.allowed ? policy.allowTtlMs : policy.denyTtlMs)
    return verdict
  }
  return {
    name: IMAGE_POLICY_PLUGIN,
    handles: request =>
      (request.operation === 'CREATE' || request.operation === 'UPDATE') &&
      !request.nested &&
      (isAbout(request, 'pods') || isAbout(request, 'pods', EPHEMERAL)),
    validate: async request => {
      if (!request.object) return
      const pod = asKind(PODS, request.object)
      let verdict: ImageVerdict
      try {
        verdict = await ask(specText(reviewed(pod, request)), request)
      } catch (error) {
        if (!policy.defaultAllow) throw refuse(request, errorMessage(error))
        annotateEvent(request, `${AUDIT_PREFIX}failed-open`, 'true')
        // The annotation is stored although it is set outside of the mutating phase, as upstream does.
        pod.metadata.annotations = { ...pod.metadata.annotations, [FAILED_OPEN]: 'true' }
        return
      }
      for (const [key, value] of Object.entries(verdict.auditAnnotations)) annotateEvent(request, AUDIT_PREFIX + key, value)
      if (!verdict.allowed) throw refuse(request, denial(verdict))
    },
  }
}

const denial = ({ reason }: ImageVerdict): string =>
  reason === '' ? 'one or more images rejected by webhook backend' : `image policy webhook backend denied one or more images: ${reason}`
