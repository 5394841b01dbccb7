import type { EvictionRequest } from '../../../api/lifecycle/v1alpha1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { type FieldError, immutableError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateObserved, validatePrefixedKey, validateRequiredEnum, validateTarget, validateUnreserved } from '../rules.ts'

const SPEC_PATH = fieldPath('spec')

/** Validates a request. Only its intent may change. */
export function validateEvictionRequest({ spec }: EvictionRequest, old: EvictionRequest | undefined): FieldError[] {
  const path = SPEC_PATH.child('requester')
  const isKept = old?.spec.requester === spec.requester
  return [
    ...validateTarget(spec.target, old?.spec.target, SPEC_PATH.child('target')),
    ...(old
      ? isKept
        ? []
        : [immutableError(path, undefined)]
      : [...validatePrefixedKey(spec.requester, path), ...validateUnreserved(spec.requester, path)]),
    ...validateRequiredEnum(spec.intent, enumValues('lifecycle.EvictionRequestIntent'), SPEC_PATH.child('intent')),
  ]
}

/** Validates the status. On create it is compared with an empty one. */
export const validateEvictionRequestStatus = ({ status }: EvictionRequest, old: EvictionRequest | undefined): FieldError[] =>
  validateObserved(status, old?.status ?? {}, fieldPath('status'))
