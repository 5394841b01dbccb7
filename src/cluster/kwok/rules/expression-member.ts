import type { Environment } from '../../../cel/environment.ts'
import { invalid } from '../../../meta/field-error.ts'
import { type CelExpression, CelExpressionError, compileCel } from '../cel-expression.ts'
import type { FieldReader } from '../field-reader.ts'

/** Reads and compiles an expression that must be there. Undefined if it is not, or does not compile. */
export function expressionAt(reader: FieldReader, member: string, environment: Environment): CelExpression | undefined {
  const text = reader.requiredText(member)
  try {
    return text === '' ? undefined : compileCel(text, environment)
  } catch (error) {
    if (!(error instanceof CelExpressionError)) throw error
    reader.report(invalid(reader.path.child(member), text, `does not compile: ${error.message}`))
    return undefined
  }
}
