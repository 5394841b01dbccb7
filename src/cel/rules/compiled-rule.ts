import type { Steps } from '../../lib/steps.ts'
import type { JsonSchemaProps, ValidationRule } from '../../schema/json-schema/props.ts'
import { followSchemaPath, SchemaPathError } from '../../schema/json-schema/schema-path.ts'
import type { Checked } from '../checked.ts'
import { compileInSteps } from '../compile.ts'
import { baseEnvironment, type Environment, EVERY_RELEASE, extend } from '../environment.ts'
import { makeProgramInSteps, type Program } from '../program/program.ts'
import type { DeclaredTypes } from '../schema/declared-type.ts'
import { BOOL, isPlain, optionalOf, STRING, type Type } from '../type.ts'

/** A rule ready to run. */
export interface CompiledRule {
  readonly rule: ValidationRule
  /** Absent where the rule is empty. */
  readonly program?: Program
  /** Why there is no program. */
  readonly fault?: string
  readonly usesOldSelf: boolean
  /** Absent where there is none, or it does not compile. */
  readonly message?: Program
  /** Of the field that the error is about, below the value; absent: the value itself. */
  readonly fieldPath?: string
}

/** What is stored was understood by some release. */
const STORED = baseEnvironment(EVERY_RELEASE)

/** Whether the expression speaks of the earlier value. */
export const usesOldSelf = ({ references }: Checked): boolean => references.some(reference => reference.kind === 'name' && reference.name === 'oldSelf')

/** The variables of a rule. */
export const ruleVariables = (type: Type, { optionalOldSelf }: ValidationRule): { readonly self: Type; readonly oldSelf: Type } => ({
  self: type,
  oldSelf: optionalOldSelf ? optionalOf(type) : type,
})

/** @param schema of the values; paths of fields are followed in it. @param types that expressions know them by. */
export function* compileRule(rule: ValidationRule, schema: JsonSchemaProps, type: Type, struct: DeclaredTypes['struct']): Steps<CompiledRule> {
  if (rule.rule.trim() === '') return { rule, usesOldSelf: false }
  const environment = extend(STORED, { ...ruleVariables(type, rule) }, struct)
  const { checked, issues } = yield* compileInSteps(rule.rule, environment)
  if (!checked) return { rule, usesOldSelf: false, fault: `compilation failed: ${issues}` }
  if (!isPlain(checked.result, BOOL)) return { rule, usesOldSelf: false, fault: 'cel expression must evaluate to a bool' }
  const program = yield* makeProgramInSteps(checked, environment)
  if ('fault' in program) return { rule, usesOldSelf: usesOldSelf(checked), fault: `program instantiation failed: ${program.fault}` }
  const message = yield* messageProgram(rule.messageExpression ?? '', environment)
  const fieldPath = fieldPathOf(rule.fieldPath ?? '', schema)
  return { rule, program, usesOldSelf: usesOldSelf(checked), ...(message ? { message } : {}), ...(fieldPath === undefined ? {} : { fieldPath }) }
}

/** A message expression that does not compile is passed over: the rule's own message is shown then. */
function* messageProgram(expression: string, environment: Environment): Steps<Program | undefined> {
  if (expression === '') return undefined
  const { checked } = yield* compileInSteps(expression, environment)
  if (!checked || !isPlain(checked.result, STRING)) return undefined
  const program = yield* makeProgramInSteps(checked, environment)
  return 'fault' in program ? undefined : program
}

/** Undefined for a path that leads nowhere in the schema: definitions are checked, but stored ones may be older than the check. */
function fieldPathOf(text: string, schema: JsonSchemaProps): string | undefined {
  if (text === '') return undefined
  try {
    return followSchemaPath(text, schema).path.text
  } catch (error) {
    if (error instanceof SchemaPathError) return undefined
    throw error
  }
}
