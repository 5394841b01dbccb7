import type { Wording } from './wording.ts'

/** Reasons of a Status cause that validation uses (metav1.CauseType). */
export type FieldErrorReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueNotFound'
  | 'FieldValueNotSupported'
  | 'FieldValueTooFew'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTooShort'
  | 'FieldValueTypeInvalid'
  | 'InternalError'

/** An error in one field, printed like apimachinery's field.Error. */
export interface FieldError {
  readonly reason: FieldErrorReason
  /** Path of the field, such as `spec.ports[0].port`. */
  readonly field: string
  /** Message without the path: `Invalid value: "x": must be …`. */
  readonly body: string
  /**
   * Optional. Returns the error of a later release, if it differs: values are printed as JSON since 1.34, and some
   * rules have other messages. Returns undefined if the release does not report it.
   */
  readonly reworded?: (wording: Wording) => FieldError | undefined
  /**
   * Optional. Name of the violated rule, such as `minimum`, by which errors of declarative and hand-written validation
   * are matched.
   */
  readonly origin?: string
  /** Set if a declarative rule reports the same error. */
  readonly isCovered?: true
}
