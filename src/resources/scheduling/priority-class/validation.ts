import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, notSupported, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import type { PriorityClass } from '../v1.types.ts'
import { SYSTEM_PREFIX, systemPriorityClass } from './system-classes.ts'

/** Only the system's classes have higher values. */
const HIGHEST_OF_USERS = 1_000_000_000
const POLICIES = ['PreemptLowerPriority', 'Never']

/** What makes the object another than the system's class of its name. */
function systemFault(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = systemPriorityClass(name)
  if (!known) return `${name} is not a known system priority class`
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined
}

/** A name with the prefix must be a known class with its value, and no default. Any other name has a value of at most HIGHEST_OF_USERS. */
function validateValue({ metadata, value, globalDefault = false }: PriorityClass): FieldError[] {
  const name = metadata.name ?? ''
  if (!name.startsWith(SYSTEM_PREFIX)) {
    return value > HIGHEST_OF_USERS ? [forbidden(fieldPath('value'), `maximum allowed value of a user defined priority is ${HIGHEST_OF_USERS}`)] : []
  }
  const fault = systemFault(name, value, globalDefault)
  const detail = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${fault}`
  return fault === undefined ? [] : [forbidden(fieldPath('metadata', 'name'), detail)]
}

/** Absent is valid; the empty text counts as missing. */
function validatePolicy(policy: string | undefined): FieldError[] {
  const path = fieldPath('preemptionPolicy')
  if (policy === undefined || POLICIES.includes(policy)) return []
  return [policy === '' ? required(path) : notSupported(path, policy, POLICIES)]
}

/** Names with the prefix `system-` are for the server’s own classes; value and preemption policy never change. Source: pkg/apis/scheduling/validation in k8s.io/kubernetes. */
export function validatePriorityClass(next: PriorityClass, old: PriorityClass | undefined): FieldError[] {
  // An update is checked for changes only.
  if (!old) return [...validateValue(next), ...validatePolicy(next.preemptionPolicy)]
  return [
    ...(next.value === old.value ? [] : [forbidden(fieldPath('value'), 'may not be changed in an update.')]),
    ...validateImmutableField(next.preemptionPolicy, old.preemptionPolicy, fieldPath('preemptionPolicy')),
  ]
}
