import type { JsonSchemaProps, ValidationRule } from '../../api/apiextensions/json-schema-props.ts'
import type { Steps } from '../../lib/steps.ts'
import { followSchemaPath, SchemaPathError } from '../../schema/json-schema/schema-path.ts'
import type { Checked } from '../checked.ts'
import { compileInSteps } from '../compile.ts'
import { baseEnvironment, type Environment, EVERY_RELEASE, extend } from '../environment.ts'
import { makeProgramInSteps, type Program } from '../program/program.ts'
import type { DeclaredTypes } from '../schema/declared-type.ts'
import { BOOL, isPlainType, optionalOf, STRING, type Type } from '../type.ts'

/** A validation rule that is ready to run. */
export interface CompiledRule {
  readonly rule: ValidationRule
  /** Omitted if the rule is empty or does not compile. */
  readonly program?: Program
  /** Compilation error. Set if there is no program for a rule that is not empty. */
  readonly fault?: string
  readonly usesOldSelf: boolean
  /** Program of `messageExpression`. Omitted if it is unset or does not compile. */
  readonly message?: Program
  /** Path of the field that errors refer to, relative to the value. Omitted if they refer to the value itself. */
  readonly fieldPath?: string
}

/** Environment of stored rules, which may use the functions of any release. */
const STORED = baseEnvironment(EVERY_RELEASE)

/** Whether the expression refers to `oldSelf`. */
export const usesOldSelf = ({ references }: Checked): boolean =>
  references.some(reference => reference.kind === 'name' && reference.name === 'oldSelf')

/** Returns the types of `self` and `oldSelf`. */
export const ruleVariables = (type: Type, { optionalOldSelf }: ValidationRule): { readonly self: Type; readonly oldSelf: Type } => ({
  self: type,
  oldSelf: optionalOldSelf ? optionalOf(type) : type,
})

/**
 * Compiles a rule.
 * @param schema schema of the values, in which `fieldPath` is resolved.
 * @param type type of the values in expressions.
 */
export function* compileRule(
  rule: ValidationRule,
  schema: JsonSchemaProps,
  type: Type,
  struct: DeclaredTypes['struct'],
): Steps<CompiledRule> {
  if (rule.rule.trim() === '') return { rule, usesOldSelf: false }
  const environment = extend(STORED, { ...ruleVariables(type, rule) }, struct)
  const { checked, issues } = yield* compileInSteps(rule.rule, environment)
  if (!checked) return { rule, usesOldSelf: false, fault: `compilation failed: ${issues}` }
  if (!isPlainType(checked.result, BOOL)) return { rule, usesOldSelf: false, fault: 'cel expression must evaluate to a bool' }
  const program = yield* makeProgramInSteps(checked, environment)
  if ('fault' in program) return { rule, usesOldSelf: usesOldSelf(checked), fault: `program instantiation failed: ${program.fault}` }
  const message = yield* messageProgram(rule.messageExpression ?? '', environment)
  const fieldPath = fieldPathOf(rule.fieldPath ?? '', schema)
  return {
    rule,
    program,
    usesOldSelf: usesOldSelf(checked),
    ...(message ? { message } : {}),
    ...(fieldPath === undefined ? {} : { fieldPath }),
  }
}

/** Compiles a message expression. Undefined if it does not compile: the rule's own message is used instead. */
function* messageProgram(expression: string, environment: Environment): Steps<Program | undefined> {
  if (expression === '') return undefined
  const { checked } = yield* compileInSteps(expression, environment)
  if (!checked || !isPlainType(checked.result, STRING)) return undefined
  const program = yield* makeProgramInSteps(checked, environment)
  return 'fault' in program ? undefined : program
}

/**
 * Resolves a field path. Undefined if the schema has no such field: new definitions are validated, but stored ones can
 * be older than the validation.
 */
function fieldPathOf(text: string, schema: JsonSchemaProps): string | undefined {
  if (text === '') return undefined
  try {
    return followSchemaPath(text, schema).path.text
  } catch (error) {
    if (error instanceof SchemaPathError) return undefined
    throw error
  }
}
