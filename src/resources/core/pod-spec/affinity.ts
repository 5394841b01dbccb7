import { forbidden, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { validateLabelSelector } from '../../../meta/label-selector.ts'
import { isValidLabelValue, nameIsDnsLabel, nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { checkQualifiedName, report } from '../checks.ts'

const NOT_AN_OPERATOR = 'not a valid selector operator'
const OUT_OF_WEIGHTS = 'must be in the range 1-100'

function checkNodeRequirement(requirement: ApiStruct, allowInvalidValues: boolean, path: FieldPath, errors: Errors): void {
  const values: string[] = requirement.values ?? []
  const operator: string = requirement.operator ?? ''
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) errors.push(required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"))
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) errors.push(forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1) errors.push(required(path.child('values'), "must be specified single value when `operator` is 'Lt' or 'Gt'"))
  } else errors.push(invalid(path.child('operator'), operator, NOT_AN_OPERATOR))
  checkQualifiedName(requirement.key ?? '', path.child('key'), errors)
  if (allowInvalidValues) return
  values.forEach((value, i) => {
    report(isValidLabelValue(value), path.child('values').index(i), value, errors)
  })
}

function checkNodeFieldRequirement(requirement: ApiStruct, path: FieldPath, errors: Errors): void {
  const values: string[] = requirement.values ?? []
  const operator: string = requirement.operator ?? ''
  if (operator !== 'In' && operator !== 'NotIn') errors.push(invalid(path.child('operator'), operator, NOT_AN_OPERATOR))
  else if (values.length !== 1) errors.push(required(path.child('values'), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"))
  if (requirement.key !== 'metadata.name') return void errors.push(invalid(path.child('key'), requirement.key ?? '', 'not a valid field selector key'))
  values.forEach((value, i) => {
    report(nameIsDnsSubdomain(value, false), path.child('values').index(i), value, errors)
  })
}

export function checkNodeSelectorTerm(term: ApiStruct, allowInvalidValues: boolean, path: FieldPath, errors: Errors): void {
  const expressions: ApiStruct[] = term.matchExpressions ?? []
  expressions.forEach((requirement, i) => {
    checkNodeRequirement(requirement, allowInvalidValues, path.child('matchExpressions').index(i), errors)
  })
  const fields: ApiStruct[] = term.matchFields ?? []
  fields.forEach((requirement, i) => {
    checkNodeFieldRequirement(requirement, path.child('matchFields').index(i), errors)
  })
}

/** NodeSelector of a pod's node affinity or a persistent volume's. */
export function checkNodeSelector(selector: ApiStruct, allowInvalidValues: boolean, path: FieldPath, errors: Errors): void {
  const terms: ApiStruct[] = selector.nodeSelectorTerms ?? []
  const at = path.child('nodeSelectorTerms')
  if (terms.length === 0) errors.push(required(at, 'must have at least one node selector term'))
  terms.forEach((term, i) => {
    checkNodeSelectorTerm(term, allowInvalidValues, at.index(i), errors)
  })
}

function checkWeight(weight: number | undefined, path: FieldPath, errors: Errors): void {
  const value = weight ?? 0
  if (value <= 0 || value > 100) errors.push(invalid(path.child('weight'), value, OUT_OF_WEIGHTS))
}

function checkNodeAffinity(affinity: ApiStruct, allowInvalidValues: boolean, path: FieldPath, errors: Errors): void {
  const required = affinity.requiredDuringSchedulingIgnoredDuringExecution
  if (required) checkNodeSelector(required, allowInvalidValues, path.child('requiredDuringSchedulingIgnoredDuringExecution'), errors)
  const preferred: ApiStruct[] = affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []
  preferred.forEach((term, i) => {
    const at = path.child('preferredDuringSchedulingIgnoredDuringExecution').index(i)
    checkWeight(term.weight, at, errors)
    // A bad value in a preference was always let in: on one node it does no harm.
    checkNodeSelectorTerm(term.preference ?? {}, true, at.child('preference'), errors)
  })
}

function checkPodTerm(term: ApiStruct, allowInvalidValues: boolean, path: FieldPath, errors: Errors): void {
  const rules = { allowInvalidValues }
  errors.push(...validateLabelSelector(term.labelSelector, path.child('labelSelector'), rules))
  errors.push(...validateLabelSelector(term.namespaceSelector, path.child('namespaceSelector'), rules))
  for (const name of (term.namespaces ?? []) as string[]) report(nameIsDnsLabel(name, false), path.child('namespace'), name, errors)
  checkTermLabelKeys(term, path, errors)
  const key: string = term.topologyKey ?? ''
  if (key === '') errors.push(required(path.child('topologyKey'), 'can not be empty'))
  checkQualifiedName(key, path.child('topologyKey'), errors)
}

/** matchLabelKeys and mismatchLabelKeys. By now what they add is in the selector: a key that the user gave there, too, is there twice. */
function checkTermLabelKeys(term: ApiStruct, path: FieldPath, errors: Errors): void {
  const matching: string[] = term.matchLabelKeys ?? []
  const mismatching: string[] = term.mismatchLabelKeys ?? []
  if (matching.length === 0 && mismatching.length === 0) return
  const selector = term.labelSelector
  for (const [field, keys] of [
    ['matchLabelKeys', matching],
    ['mismatchLabelKeys', mismatching],
  ] as const) {
    if (keys.length === 0) continue
    const at = path.child(field)
    if (!selector) errors.push(forbidden(at, 'must not be specified when labelSelector is not set'))
    else
      keys.forEach((key, i) => {
        checkQualifiedName(key, at.index(i), errors)
      })
  }
  if (selector) {
    const seen = new Set(Object.keys(selector.matchLabels ?? {}))
    const lastPlace = new Map(matching.map((key, i) => [key, i]))
    for (const { key = '' } of selector.matchExpressions ?? []) {
      const i = lastPlace.get(key)
      if (i !== undefined && seen.has(key)) errors.push(invalid(path.index(i), key, 'exists in both matchLabelKeys and labelSelector'))
      seen.add(key)
    }
  }
  const refused = new Set(mismatching)
  matching.forEach((key, i) => {
    if (refused.has(key)) errors.push(invalid(path.child('matchLabelKeys').index(i), key, 'exists in both matchLabelKeys and mismatchLabelKeys'))
  })
}

function checkPodTerms(affinity: ApiStruct, allowInvalidValues: boolean, path: FieldPath, errors: Errors): void {
  const needed: ApiStruct[] = affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []
  needed.forEach((term, i) => {
    checkPodTerm(term, allowInvalidValues, path.child('requiredDuringSchedulingIgnoredDuringExecution').index(i), errors)
  })
  const preferred: ApiStruct[] = affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []
  preferred.forEach((weighted, i) => {
    const at = path.child('preferredDuringSchedulingIgnoredDuringExecution').index(i)
    checkWeight(weighted.weight, at, errors)
    checkPodTerm(weighted.podAffinityTerm ?? {}, allowInvalidValues, at.child('podAffinityTerm'), errors)
  })
}

export interface AffinityOptions {
  readonly allowInvalidRequiredAffinityValues: boolean
  readonly allowInvalidSelectorValues: boolean
}

export function checkAffinity(affinity: ApiStruct, path: FieldPath, options: AffinityOptions, errors: Errors): void {
  if (affinity.nodeAffinity) checkNodeAffinity(affinity.nodeAffinity, options.allowInvalidRequiredAffinityValues, path.child('nodeAffinity'), errors)
  if (affinity.podAffinity) checkPodTerms(affinity.podAffinity, options.allowInvalidSelectorValues, path.child('podAffinity'), errors)
  if (affinity.podAntiAffinity) checkPodTerms(affinity.podAntiAffinity, options.allowInvalidSelectorValues, path.child('podAntiAffinity'), errors)
}
