import { compareText } from '../../../../lib/compare-text.ts'
import { quote } from '../../../../lib/go-quote.ts'
import { isStepDone, type Steps, sortInSteps } from '../../../../lib/steps.ts'
import { isSince } from '../../../../lifecycle/release.ts'
import { APP_ARMOR_PREFIX } from '../../pod-spec/annotations.ts'
import { type CheckedPod, type CheckVerdict, contextsOf, isForbiddenProfile, type PodCheck } from '../check.ts'
import { plural, quoteItems, settersOf, sortValues } from '../words.ts'

const isAllowedAnnotation = (value: string): boolean => value === '' || value === 'runtime/default' || value.startsWith('localhost/')

/**
 * Baseline: neither fields nor annotations disable AppArmor. Fields, and the messages that mention them, exist since
 * release 1.30.
 */
export const appArmorProfile: PodCheck = function* (pod, { release }) {
  const annotations = yield* forbiddenAnnotations(pod)
  return isSince(release, '1.30') ? yield* fieldsAndAnnotations(pod, annotations) : annotationsAlone(annotations)
}

/** Returns forbidden annotations as `key="value"`, sorted. */
function* forbiddenAnnotations({ annotations }: CheckedPod): Steps<string[]> {
  const found: string[] = []
  for (const [key, value] of Object.entries(annotations)) {
    if (key.startsWith(APP_ARMOR_PREFIX) && !isAllowedAnnotation(value)) found.push(`${key}=${quote(value)}`)
    if (isStepDone()) yield
  }
  return yield* sortInSteps(found, compareText)
}

const reasonFor = (count: number): string => plural(count, 'forbidden AppArmor profile', 'forbidden AppArmor profiles')

const annotationsAlone = (annotations: readonly string[]): CheckVerdict =>
  annotations.length === 0 ? undefined : { reason: reasonFor(annotations.length), detail: annotations.join(', ') }

function* fieldsAndAnnotations(pod: CheckedPod, annotations: readonly string[]): Steps<CheckVerdict> {
  const setters = settersOf(pod, ({ appArmorProfile }) => isForbiddenProfile(appArmorProfile))
  if (annotations.length > 0) setters.push(plural(annotations.length, 'annotation', 'annotations'))
  if (setters.length === 0) return undefined
  const forbidden = contextsOf(pod)
    .map(({ appArmorProfile }) => appArmorProfile)
    .filter(isForbiddenProfile)
  const values = [...(yield* sortValues(new Set(forbidden.map(({ type }) => type)))), ...annotations]
  return {
    reason: reasonFor(values.length),
    detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoteItems(values)}`,
  }
}
