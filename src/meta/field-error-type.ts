/** Reasons of a Status cause that validation sets (metav1.CauseType). */
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

/** One thing wrong with one field, printed as apimachinery's field.Error prints it. */
export interface FieldError {
  readonly reason: FieldErrorReason
  /** Path of the field, such as `spec.ports[0].port`. */
  readonly field: string
  /** The message without the path: `Invalid value: "x": must be …`. */
  readonly body: string
  /** The same in 1.34 and later, where it differs: values are printed as JSON, and some rules have other words. */
  readonly laterBody?: () => string
  /** The rule behind it, `minimum`, by which errors of declared and of hand-written validation are compared. */
  readonly origin?: string
  /** A rule beside the field's declaration says the same. */
  readonly isCovered?: true
}
