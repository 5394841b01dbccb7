import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { nameIsPathSegment } from '../../../meta/names.ts'
import type { ApiStruct } from '../../core/checks.ts'

/** Kind and name of the object that is meant; its apiVersion may be anything. */
export const validateObjectReference = (reference: ApiStruct, path: FieldPath): FieldError[] =>
  ['kind', 'name'].flatMap(member => {
    const value: string = reference[member] ?? ''
    const at = path.child(member)
    return value === '' ? [required(at)] : nameIsPathSegment(value, false).map(text => invalid(at, value, text))
  })
