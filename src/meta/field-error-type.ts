/** Reasons of a Status cause that validation uses (metav1.CauseType). */
export type FieldErrorReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueNotFound'
  | 'FieldValueNotSupported'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError'

/** An error in one field, printed like apimachinery's field.Error. */
export interface FieldError {
  readonly reason: FieldErrorReason
  /** Path of the field, such as `spec.ports[0].port`. */
  readonly field: string
  /** Message without the path: `Invalid value: "x": must be …`. */
  readonly body: string
  /** Optional. Returns the message of 1.34 and later, if it differs: values are printed as JSON, and some rules have other words. */
  readonly laterBody?: () => string
  /** Optional. Name of the violated rule, such as `minimum`, by which errors of declarative and hand-written validation are matched. */
  readonly origin?: string
  /** Set if a declarative rule reports the same error. */
  readonly isCovered?: true
}
