import type { Toleration } from '../v1.types.ts'

const FIELDS = ['key', 'operator', 'value', 'effect'] as const

const isEqual = (a: Toleration, b: Toleration): boolean =>
  FIELDS.every(name => (a[name] ?? '') === (b[name] ?? '')) && a.tolerationSeconds === b.tolerationSeconds

/** Whether a toleration tolerates all that another does, for as long. Source: pkg/util/tolerations in k8s.io/kubernetes. */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (isEqual(wide, narrow)) return true
  const { key = '', operator = '', effect = '', tolerationSeconds: seconds } = wide
  // An empty key that exists stands for all keys, an empty effect for all effects.
  if ((narrow.key ?? '') !== key && (key !== '' || operator !== 'Exists')) return false
  if (effect !== '' && (narrow.effect ?? '') !== effect) return false
  const isLonger = narrow.tolerationSeconds === undefined || (seconds !== undefined && narrow.tolerationSeconds > seconds)
  if (effect === 'NoExecute' && seconds !== undefined && isLonger) return false
  if (operator === 'Exists') return true
  return (operator === 'Equal' || operator === '') && narrow.operator === 'Equal' && (narrow.value ?? '') === (wide.value ?? '')
}

/** Both lists without what another toleration covers; of equal ones the first stays. In quadratic time. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second]
  const merged: Toleration[] = []
  all.forEach((each, i) => {
    if (merged.some(other => covers(other, each))) return
    if (all.some((other, at) => at > i && !isEqual(other, each) && covers(other, each))) return
    merged.push(each)
  })
  return merged
}

/** Whether each toleration is covered by one that is allowed. In quadratic time. */
export const areAllowed = (tolerations: readonly Toleration[], allowed: readonly Toleration[]): boolean =>
  tolerations.every(each => allowed.some(other => covers(other, each)))
