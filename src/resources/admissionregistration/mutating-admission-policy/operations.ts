import type { MatchResources } from '../../../api/admissionregistration/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { notSupported } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { itemErrors } from '../../../meta/item-errors.ts'

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE']

/**
 * Rejects the operation DELETE, for which there is no object to mutate. The path of the error lacks the index of the
 * rule, as upstream's does.
 */
export function validateMutatingOperations(match: MatchResources | undefined, path: FieldPath): Steps<FieldError[]> {
  const at = path.child('resourceRules', 'operations')
  return itemErrors(match?.resourceRules ?? [], at, ({ operations = [] }) =>
    itemErrors(operations, at, operation => (OPERATIONS.includes(operation) ? [] : [notSupported(at, operation, OPERATIONS)])),
  )
}
