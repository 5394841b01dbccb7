import { duplicate, forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { validateLabelSelector } from '../../../meta/label-selector.ts'
import { isQualifiedName, isValidLabelValue } from '../../../meta/names.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { checkQualifiedName, NOT_POSITIVE, report } from '../checks.ts'

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway']
const INCLUSION = ['Honor', 'Ignore']
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
const IN_BOTH = 'exists in both matchLabelKeys and labelSelector'

/** Of a spread constraint: no two have the same. */
const pairOf = ({ topologyKey = '', whenUnsatisfiable = '' }: ApiStruct): string => JSON.stringify([topologyKey, whenUnsatisfiable])

export function checkSpreadConstraints(constraints: readonly ApiStruct[], path: FieldPath, allowInvalidSelector: boolean, errors: Errors): void {
  const lastPlace = new Map(constraints.map((constraint, i) => [pairOf(constraint), i]))
  constraints.forEach((constraint, i) => {
    const at = path.index(i)
    const key: string = constraint.topologyKey ?? ''
    const action: string = constraint.whenUnsatisfiable ?? ''
    if ((constraint.maxSkew ?? 0) <= 0) errors.push(invalid(at.child('maxSkew'), constraint.maxSkew ?? 0, NOT_POSITIVE))
    if (key === '') errors.push(required(at.child('topologyKey'), 'can not be empty'))
    if (!ACTIONS.includes(action)) errors.push(notSupported(at.child('whenUnsatisfiable'), action, ACTIONS))
    if (lastPlace.get(pairOf(constraint)) !== i) errors.push(duplicate(at.child('{topologyKey, whenUnsatisfiable}'), `{${key}, ${action}}`))
    const minimum: number | undefined = constraint.minDomains
    if (minimum !== undefined) {
      if (minimum <= 0) errors.push(invalid(at.child('minDomains'), minimum, NOT_POSITIVE))
      if (action !== 'DoNotSchedule') {
        errors.push(invalid(at.child('minDomains'), minimum, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`))
      }
    }
    for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
      const policy = constraint[field]
      if (policy !== undefined && !INCLUSION.includes(policy)) errors.push(notSupported(at.child(field), policy, INCLUSION))
    }
    if (constraint.matchLabelKeys?.length) checkMatchLabelKeys(constraint, at.child('matchLabelKeys'), errors)
    if (!allowInvalidSelector) errors.push(...validateLabelSelector(constraint.labelSelector, at.child('labelSelector')))
  })
}

function checkMatchLabelKeys(constraint: ApiStruct, path: FieldPath, errors: Errors): void {
  const selector = constraint.labelSelector
  const selected = new Set<string>([
    ...Object.keys(selector?.matchLabels ?? {}),
    ...(selector?.matchExpressions ?? []).map((expression: ApiStruct) => expression.key ?? ''),
  ])
  if (!selector) errors.push(forbidden(path, 'must not be specified when labelSelector is not set'))
  const keys: string[] = constraint.matchLabelKeys
  keys.forEach((key, i) => {
    checkQualifiedName(key, path.index(i), errors)
    if (selected.has(key)) errors.push(invalid(path.index(i), key, IN_BOTH))
  })
}

/** Also of a taint, whose effect may not be empty. */
export function checkTaintEffect(effect: string, path: FieldPath, errors: Errors): void {
  if (!EFFECTS.includes(effect)) errors.push(notSupported(path, effect, EFFECTS))
}

export function checkTolerations(tolerations: readonly ApiStruct[], path: FieldPath, errors: Errors): void {
  tolerations.forEach((toleration, i) => {
    const at = path.index(i)
    const { key = '', operator = '', value = '', effect = '' } = toleration
    if (key !== '') report(isQualifiedName(key), at.child('key'), key, errors)
    else if (operator !== 'Exists') {
      errors.push(invalid(at.child('operator'), operator, 'operator must be Exists when `key` is empty, which means "match all values and all keys"'))
    }
    if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
      errors.push(invalid(at.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
    }
    if (operator === '' || operator === 'Equal') {
      const texts = isValidLabelValue(value)
      if (texts.length > 0) errors.push(invalid(at.child('operator'), value, texts.join(';')))
    } else if (operator === 'Exists') {
      if (value !== '') errors.push(invalid(at.child('operator'), value, "value must be empty when `operator` is 'Exists'"))
    } else errors.push(notSupported(at.child('operator'), operator, ['Equal', 'Exists']))
    if (effect !== '') checkTaintEffect(effect, at.child('effect'), errors)
  })
}

export function checkSchedulingGates(gates: readonly ApiStruct[], path: FieldPath, errors: Errors): void {
  const seen = new Set<string>()
  gates.forEach(({ name = '' }, i) => {
    checkQualifiedName(name, path.index(i), errors)
    if (seen.has(name)) errors.push(duplicate(path.index(i), name))
    seen.add(name)
  })
}
