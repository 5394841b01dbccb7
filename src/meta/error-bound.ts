import { CallContext } from '../lib/call-context.ts'
import { runAtOnce, type Steps } from '../lib/steps.ts'
import type { FieldError } from './field-error-type.ts'

/** Limit on the errors of a response. A small body can have many more. */
export const MOST_ERRORS = 2000
/**
 * Number of errors after which validation ends early. It exceeds MOST_ERRORS, because some errors are created and not
 * reported.
 */
const MOST_MADE = 5000
/**
 * Length of all error texts after which validation ends early, in UTF-16 code units. An error that prints a long value
 * is long itself, and may be repeated for each of its items.
 */
const MOST_TEXT = 8 * 1024 * 1024

/** Thrown to end validation that has found enough errors. */
class EnoughErrors extends Error {
  override readonly name = 'EnoughErrors'
}

/** Errors of one validation. */
class MadeErrors {
  readonly errors: FieldError[] = []
  #length = 0

  /** Throws EnoughErrors if there are too many. */
  add(error: FieldError): void {
    this.errors.push(error)
    this.#length += error.body.length
    if (this.errors.length > MOST_MADE || this.#length > MOST_TEXT) throw new EnoughErrors()
  }
}

/** The innermost validation that is running. Validators create errors anywhere, and only pass paths along. */
const validating = new CallContext<MadeErrors>()

/** Counts a new error. Throws within `boundedErrors` if there are too many. */
export function counted(error: FieldError): FieldError {
  validating.value?.add(error)
  return error
}

/**
 * Runs a validation in steps, and returns its errors. If there are very many, it ends early with the first ones: the
 * cost of validation is limited by the valid part of an object, not by its errors. Other validations may run between
 * two steps, and validations may be nested.
 */
export function* boundedErrors(validation: Steps<FieldError[]>): Steps<FieldError[]> {
  const made = new MadeErrors()
  for (;;) {
    try {
      const { done, value } = validating.run(made, () => validation.next())
      if (done) return value
    } catch (error) {
      if (!(error instanceof EnoughErrors)) throw error
      return made.errors.slice(0, MOST_ERRORS)
    }
    yield
  }
}

/** Runs a validation without steps, with the same limit. */
export const boundedAtOnce = (validate: () => FieldError[]): FieldError[] => runAtOnce(boundedErrors(inOneStep(validate)))

function* inOneStep(validate: () => FieldError[]): Steps<FieldError[]> {
  yield
  return validate()
}
