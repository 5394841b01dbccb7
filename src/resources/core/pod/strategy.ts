import type { Strategy } from '../../../catalog/definition.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { ipWarnings } from '../../../meta/ip.ts'
import { isDns1123Label, nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import type { ApiStruct } from '../checks.ts'
import { podWarnings } from '../pod-spec/warnings.ts'
import { prepareCreate, prepareStatusUpdate, prepareUpdate } from './prepare.ts'
import { validatePodStatusUpdate } from './status-validation.ts'
import { validatePodCreate, validatePodUpdate } from './validation.ts'

/** Seconds that the kubelet gets. A pod that no kubelet has, or that has ended, goes at once. */
function gracePeriod(pod: KubeObject, requested: number | undefined): number {
  if (!pod.spec?.nodeName) return 0
  if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') return 0
  const period: number = requested ?? pod.spec.terminationGracePeriodSeconds ?? 0
  return period < 0 ? 1 : period
}

function createWarnings(pod: KubeObject): string[] {
  const texts = isDns1123Label(pod.metadata.name ?? '')
  const name =
    texts.length === 0
      ? []
      : [`metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${texts.join(' ')}]`]
  return [...name, ...podWarnings(pod)]
}

export const podStrategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  resetFields: [['status']],
  returnsDeleted: true,
  revalidatesMeta: true,
  prepare(next, old, ctx) {
    if (old) prepareUpdate(next, old)
    else prepareCreate(next, ctx)
  },
  validate: (next, old) => (old ? validatePodUpdate(next, old) : validatePodCreate(next)),
  // Controllers update pods all the time, and nobody reads what they are warned of.
  warnings: (next, old) => (old ? [] : createWarnings(next)),
  gracePeriod,
}

export const podStatusStrategy: Strategy = {
  resetFields: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
  prepare(next, old) {
    if (old) prepareStatusUpdate(next, old)
  },
  validate: (next, old) => (old ? validatePodStatusUpdate(next, old) : []),
  warnings: ({ status }) => [...addressWarnings(status, 'podIPs'), ...addressWarnings(status, 'hostIPs')],
}

const addressWarnings = (status: ApiStruct, list: string): string[] =>
  ((status?.[list] ?? []) as ApiStruct[]).flatMap(({ ip = '' }, i) => ipWarnings(fieldPath('status', list).index(i).child('ip'), ip))
