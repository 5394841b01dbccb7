import { isJsonObject, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { CaseError, type CaseSuite, type Expectation, objectList, type PolicyCase, stringList } from './policy-case.ts'

/** `apiVersion` and `kind` of a file of cases. */
export const NATIVE_API = 'binnacle.dev/v1'
export const NATIVE_KIND = 'PolicyTest'

/** Members of a case. Others are rejected, so that a misspelt one does not weaken a test. */
const MEMBERS: ReadonlySet<string> = new Set(['name', 'object', 'oldObject', 'user', 'groups', 'expect'])
/** Members of `expect`. */
const EXPECTED: ReadonlySet<string> = new Set(['allowed', 'message', 'warnings', 'mutated', 'policy'])

/** Reads a PolicyTest. Throws CaseError. */
export function nativeSuite(file: string, document: JsonObject): CaseSuite {
  const cases = objectList(document.cases)
  if (cases.length === 0) throw new CaseError(`${file}: cases: at least one is required`)
  return {
    file,
    policies: [],
    given: objectList(document.given),
    cases: cases.map((each, i) => nativeCase(file, each, `cases[${i}]`)),
    skipped: [],
    denies: false,
  }
}

/** Reads a case. `path` locates it in errors. */
function nativeCase(file: string, value: JsonObject, path: string): PolicyCase {
  refuseUnknown(file, value, MEMBERS, path)
  const { name, object, oldObject, user, groups, expect } = value
  if (typeof name !== 'string' || name === '') throw new CaseError(`${file}: ${path}.name: a text is required`)
  if (!isJsonObject(object)) throw new CaseError(`${file}: ${path}.object: an object is required`)
  if (!isJsonObject(expect)) throw new CaseError(`${file}: ${path}.expect: an object with allowed is required`)
  return {
    name,
    object,
    ...(isJsonObject(oldObject) && { old: oldObject }),
    ...(typeof user === 'string' && { user }),
    groups: stringList(groups),
    expected: expectation(file, expect, `${path}.expect`),
  }
}

function expectation(file: string, value: JsonObject, path: string): Expectation {
  refuseUnknown(file, value, EXPECTED, path)
  const { allowed, message, warnings, mutated, policy } = value
  if (typeof allowed !== 'boolean') throw new CaseError(`${file}: ${path}.allowed: true or false is required`)
  return {
    allowed,
    warnings: stringList(warnings),
    ...(typeof message === 'string' && { message }),
    ...(typeof policy === 'string' && { policy }),
    ...(isJsonObject(mutated) && { mutated: objectIn(mutated) }),
  }
}

/** Throws CaseError for the first member that is not known. */
function refuseUnknown(file: string, value: JsonObject, known: ReadonlySet<string>, path: string): void {
  const unknown = Object.keys(value).find(name => !known.has(name))
  if (unknown !== undefined) throw new CaseError(`${file}: ${path}.${unknown}: unknown field; known are ${[...known].join(', ')}`)
}
