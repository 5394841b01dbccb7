import type { FieldError } from '../../meta/field-error.ts'
import { required, tooLong } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { longerThan } from '../../meta/names.ts'
import { validateList } from './lists.ts'
import type { DeviceSelector } from './v1beta2.types.ts'

const MAX_SELECTORS = 32
const MAX_EXPRESSION = 10 * 1024

/** That there are expressions, and not too long ones; what they say, and what they cost, waits for a compiler of CEL. */
export const validateSelectors = (selectors: readonly DeviceSelector[] | undefined, path: FieldPath): FieldError[] =>
  validateList(selectors, path, {
    max: MAX_SELECTORS,
    check: ({ cel }, at) => {
      if (!cel) return [required(at.child('cel'))]
      return longerThan(cel.expression, MAX_EXPRESSION) ? [tooLong(at.child('cel', 'expression'), MAX_EXPRESSION)] : []
    },
  })
