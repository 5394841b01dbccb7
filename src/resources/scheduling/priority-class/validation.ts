import type { PriorityClass } from '../../../api/scheduling/v1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, notSupported, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { SYSTEM_PREFIX, systemPriorityClass } from './system-classes.ts'

/** Highest value of user-defined classes. System classes have higher ones. */
const HIGHEST_OF_USERS = 1_000_000_000
const POLICIES = enumValues('scheduling.PreemptionPolicy', 'PreemptLowerPriority')

/** Returns the difference between the object and the system class of its name, or undefined. */
function systemFault(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = systemPriorityClass(name)
  if (!known) return `${name} is not a known system priority class`
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined
}

/**
 * Checks that a name with the prefix belongs to a system class with its value, and is not the default. Other names have
 * a value of at most HIGHEST_OF_USERS.
 */
function validateValue({ metadata, value, globalDefault = false }: PriorityClass): FieldError[] {
  const name = metadata.name ?? ''
  if (!name.startsWith(SYSTEM_PREFIX)) {
    return value > HIGHEST_OF_USERS
      ? [forbidden(fieldPath('value'), `maximum allowed value of a user defined priority is ${HIGHEST_OF_USERS}`)]
      : []
  }
  const fault = systemFault(name, value, globalDefault)
  const detail = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${fault}`
  return fault === undefined ? [] : [forbidden(fieldPath('metadata', 'name'), detail)]
}

/** Validates the preemption policy. It may be absent; an empty string counts as missing. */
function validatePreemptionPolicy(policy: string | undefined): FieldError[] {
  const path = fieldPath('preemptionPolicy')
  if (policy === undefined || POLICIES.includes(policy)) return []
  return [policy === '' ? required(path) : notSupported(path, policy, POLICIES)]
}

/**
 * Validates a class. Names with the prefix `system-` are reserved; value and preemption policy are immutable. Source:
 * pkg/apis/scheduling/validation in k8s.io/kubernetes.
 */
export function validatePriorityClass(next: PriorityClass, old: PriorityClass | undefined): FieldError[] {
  // On update only changes are validated.
  if (!old) return [...validateValue(next), ...validatePreemptionPolicy(next.preemptionPolicy)]
  return [
    ...(next.value === old.value ? [] : [forbidden(fieldPath('value'), 'may not be changed in an update.')]),
    ...validateImmutableField(next.preemptionPolicy, old.preemptionPolicy, fieldPath('preemptionPolicy')),
  ]
}
