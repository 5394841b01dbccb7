import type { FieldError } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

/** The names in paths, where upstream writes others than the field's: of the source, and of one that is a second source. */
interface ShownNames {
  readonly shown?: string
  readonly refused?: string
}

/** How one kind of source is validated, of all that `S` may have. `X`: what else its validation needs to know. */
export interface SourceRule<S, X> extends ShownNames {
  readonly kind: keyof S
  /** Nothing where there is no such source. */
  readonly validate: (holder: S, path: FieldPath, extra: X) => FieldError[]
}

/** Makes the rules of a table: each is given the source itself. */
export const rulesFor =
  <S, X>() =>
  <K extends keyof S>(kind: K, validate: (source: NonNullable<S[K]>, path: FieldPath, extra: X) => FieldError[], names?: ShownNames): SourceRule<S, X> => ({
    kind,
    validate: (holder, path, extra) => {
      const source: S[K] = holder[kind]
      return source ? validate(source, path, extra) : []
    },
    ...names,
  })
