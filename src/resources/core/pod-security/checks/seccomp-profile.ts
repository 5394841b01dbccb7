import { quote } from '../../../../lib/go-quote.ts'
import { isStepDone, type Steps } from '../../../../lib/steps.ts'
import { ownMember } from '../../../../meta/equal.ts'
import { SECCOMP_CONTAINER_PREFIX, SECCOMP_POD } from '../../pod-spec/annotations.ts'
import { type CheckedPod, type CheckVerdict, contextsOf, isForbiddenProfile, namesWhere, type PodCheck } from '../check.ts'
import { containersText, plural, quoteItems, settersOf, sortValues } from '../words.ts'

const REASON = 'seccompProfile'

const isAllowedAnnotation = (value: string): boolean =>
  value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/')

/** Baseline before 1.19: annotations do not disable seccomp. */
export const seccompAnnotations: PodCheck = function* ({ annotations, containers }) {
  const forbidden = new Set<string>()
  const look = (key: string): void => {
    const value = ownMember(annotations, key)
    if (value !== undefined && !isAllowedAnnotation(value)) forbidden.add(`${key}=${quote(value)}`)
  }
  look(SECCOMP_POD)
  for (const { name } of containers) {
    look(SECCOMP_CONTAINER_PREFIX + name)
    if (isStepDone()) yield
  }
  if (forbidden.size === 0) return undefined
  const listed = yield* sortValues(forbidden)
  return { reason: REASON, detail: `forbidden ${plural(listed.length, 'annotation', 'annotations')} ${listed.join(', ')}` }
}

/** Baseline since 1.19: fields do not disable seccomp. */
export function* seccompBaseline(pod: CheckedPod): Steps<CheckVerdict> {
  const setters = settersOf(pod, ({ seccompProfile }) => isForbiddenProfile(seccompProfile))
  if (setters.length === 0) return undefined
  const forbidden = contextsOf(pod)
    .map(({ seccompProfile }) => seccompProfile)
    .filter(isForbiddenProfile)
  const values = yield* sortValues(new Set(forbidden.map(({ type }) => type)))
  return { reason: REASON, detail: `${setters.join(' and ')} must not set securityContext.seccompProfile.type to ${quoteItems(values)}` }
}

/** Restricted since 1.19: the pod or every container has a seccomp profile. */
export const seccompRestricted: PodCheck = function* (pod) {
  const found = yield* seccompBaseline(pod)
  if (found !== undefined || pod.spec.securityContext?.seccompProfile !== undefined) return found
  const silent = namesWhere(pod, ({ securityContext }) => securityContext?.seccompProfile === undefined)
  if (silent.length === 0) return undefined
  return {
    reason: REASON,
    detail: `pod or ${containersText(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  }
}
