import type { Pod, PodStatus } from '../../../api/core/v1.types.ts'
import type { HookContext, Strategy } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { ipWarnings } from '../../../meta/ip.ts'
import { isDns1123Label, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { podWarnings } from '../pod-spec/warnings.ts'
import { defaultPodLevelResources, defaultsPodLevelOnWrite } from './pod-level-defaults.ts'
import { prepareCreate, prepareStatusUpdate, prepareUpdate } from './prepare.ts'
import { validatePodStatusUpdate } from './status-validation.ts'
import { validatePodCreate, validatePodUpdate } from './validation.ts'

/** Returns the grace period in seconds. A pod that has no node or has finished is deleted immediately. */
function gracePeriod(pod: Pod, requested: number | undefined): number {
  if (!pod.spec.nodeName) return 0
  if (pod.status.phase === 'Failed' || pod.status.phase === 'Succeeded') return 0
  const period = requested ?? Number(pod.spec.terminationGracePeriodSeconds ?? 0)
  return period < 0 ? 1 : period
}

function* createWarnings(pod: Pod, features: Features): Steps<string[]> {
  const texts = isSince(features.release, '1.27') ? isDns1123Label(pod.metadata.name ?? '') : []
  const name =
    texts.length === 0
      ? []
      : [
          `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${texts.join(' ')}]`,
        ]
  return name.concat(yield* podWarnings(pod, features))
}

/** Prepares a new pod with pod-level resources, whose defaults decide its QoS class. */
function* prepareDefaulted(pod: Pod, ctx: HookContext): Steps<void> {
  yield* defaultPodLevelResources(pod.spec)
  prepareCreate(pod, ctx)
}

/** Strategy of the pod itself: spec and metadata. */
export const podStrategy: Strategy<Pod> = {
  validateName: nameIsDnsSubdomain,
  resetFields: [['status']],
  returnsDeleted: true,
  metaRounds: ['change', 'whole'],
  prepare(next, old, ctx) {
    if (old) return prepareUpdate(next, old, ctx)
    return next.spec.resources && defaultsPodLevelOnWrite(ctx.features) ? prepareDefaulted(next, ctx) : prepareCreate(next, ctx)
  },
  validate: (next, old, { features }) => (old ? validatePodUpdate(next, old, features) : validatePodCreate(next, features)),
  // Updates have no warnings: controllers update pods often and do not show warnings to a user.
  warnings: (next, old, { features }) => (old ? [] : createWarnings(next, features)),
  gracePeriod,
}

/** Strategy of the subresource `status`, which kubelets write. */
export const podStatusStrategy: Strategy<Pod> = {
  resetFields: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
  prepare(next, old) {
    if (old) prepareStatusUpdate(next, old)
  },
  validate: (next, old, { features }) => (old ? validatePodStatusUpdate(next, old, features) : []),
  warnings: ({ status }, _, { features }) =>
    isSince(features.release, '1.33') ? [...addressWarnings(status, 'podIPs'), ...addressWarnings(status, 'hostIPs')] : [],
}

const addressWarnings = (status: PodStatus, list: 'podIPs' | 'hostIPs'): string[] =>
  (status[list] ?? []).flatMap(({ ip = '' }, i) => ipWarnings(fieldPath('status', list).index(i).child('ip'), ip))
