import type { MatchResources } from '../../../api/admissionregistration/v1.types.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { notSupported } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE']

/**
 * Rejects the operation DELETE, for which there is no object to mutate. The path of the error lacks the index of the
 * rule, as upstream's does.
 */
export function validateMutatingOperations(match: MatchResources | undefined, path: FieldPath): FieldError[] {
  return (match?.resourceRules ?? [])
    .flatMap(({ operations = [] }) => operations)
    .filter(operation => !OPERATIONS.includes(operation))
    .map(operation => notSupported(path.child('resourceRules', 'operations'), operation, OPERATIONS))
}
