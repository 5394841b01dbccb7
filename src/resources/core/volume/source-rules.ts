import type { FieldError } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

/** Names in paths that differ from the field's: that of the source, and that of a rejected second source. */
interface ShownNames {
  readonly shown?: string
  readonly refused?: string
}

/** Validation of one kind of source among those of `S`. `X` is additional context. */
export interface SourceRule<S, X> extends ShownNames {
  readonly kind: keyof S
  /** Returns no errors if there is no such source. */
  readonly validate: (holder: S, path: FieldPath, extra: X) => FieldError[]
}

/** Returns a function that creates rules from validators of the source itself. */
export const rulesFor =
  <S, X>() =>
  <K extends keyof S>(
    kind: K,
    validate: (source: NonNullable<S[K]>, path: FieldPath, extra: X) => FieldError[],
    names?: ShownNames,
  ): SourceRule<S, X> => ({
    kind,
    validate: (holder, path, extra) => {
      const source: S[K] = holder[kind]
      return source ? validate(source, path, extra) : []
    },
    ...names,
  })
