import type { FieldError } from '../../../meta/field-error.ts'
import { notSupported } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE']

/** An object that is deleted cannot be changed. Which of the rules says so is not told. */
export function validateMutatingOperations(match: KubeObject['spec'] | undefined, path: FieldPath): FieldError[] {
  const rules: { operations?: string[] }[] = match?.resourceRules ?? []
  return rules
    .flatMap(({ operations = [] }) => operations)
    .filter(operation => !OPERATIONS.includes(operation))
    .map(operation => notSupported(path.child('resourceRules', 'operations'), operation, OPERATIONS))
}
