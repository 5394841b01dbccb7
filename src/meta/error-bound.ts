import type { FieldError } from './field-error.ts'

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

let made: FieldError[] | undefined
let text = 0

/** Counts an error that is being made. Throws within `boundedErrors` once there are too many. */
export function counted(error: FieldError): FieldError {
  if (made === undefined) return error
  made.push(error)
  text += error.body.length
  if (made.length > MOST_MADE || text > MOST_TEXT) throw new EnoughErrors()
  return error
}

/**
 * The errors of a synchronous validation. One that makes very many is ended early, and the first that it made are its result: what validation costs is bounded by what is valid, not by
 * what is wrong.
 */
export function boundedErrors(validate: () => FieldError[]): FieldError[] {
  const outer = made
  const outerText = text
  const mine: FieldError[] = []
  made = mine
  text = 0
  try {
    return validate()
  } catch (error) {
    if (!(error instanceof EnoughErrors)) throw error
    return mine.slice(0, MOST_ERRORS)
  } finally {
    made = outer
    text = outerText
  }
}
