import { CallContext } from '../lib/call-context.ts'
import { runAtOnce, type Steps } from '../lib/steps.ts'
import type { FieldError } from './field-error-type.ts'

/** A small body may hold very many errors; nobody reads more than these, and the answer is bounded. */
export const MOST_ERRORS = 2000
/** Errors that are made before validation ends early: above MOST_ERRORS, for some are made and not reported. */
const MOST_MADE = 5000
/** UTF-16 units of their texts, likewise: an error that prints a long value is long itself, and may be made for each of its items. */
const MOST_TEXT = 8 * 1024 * 1024

/** Ends validation that has found enough. */
class EnoughErrors extends Error {
  override readonly name = 'EnoughErrors'
}

/** The errors that one validation makes. */
class MadeErrors {
  readonly errors: FieldError[] = []
  private length = 0

  /** Throws once there are too many. */
  add(error: FieldError): void {
    this.errors.push(error)
    this.length += error.body.length
    if (this.errors.length > MOST_MADE || this.length > MOST_TEXT) throw new EnoughErrors()
  }
}

/** The innermost validation that runs. Validators of every kind make errors, and pass nothing along but paths. */
const validating = new CallContext<MadeErrors>()

/** Counts an error that is being made. Throws within `boundedErrors` once there are too many. */
export function counted(error: FieldError): FieldError {
  validating.value?.add(error)
  return error
}

/**
 * The errors that a validation in steps finds. One that makes very many is ended early, and the first that it made are its result: what validation costs is bounded by what is valid,
 * not by what is wrong. Others may validate between two steps, and one validation within another.
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

/** The same of a validation that is done at once: of errors that nobody sees, where the object is only normalised. */
export const boundedAtOnce = (validate: () => FieldError[]): FieldError[] => runAtOnce(boundedErrors(inOneStep(validate)))

function* inOneStep(validate: () => FieldError[]): Steps<FieldError[]> {
  yield
  return validate()
}
