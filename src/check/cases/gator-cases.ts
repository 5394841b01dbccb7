import { dirname, join } from 'node:path'
import { isJsonObject, type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { goJson } from '../../codec/json.ts'
import { compileRegExp } from '../../lib/linear-regexp.ts'
import { readManifestFile } from '../../upgrade/manifests.ts'
import { withBindings } from './kyverno-cases.ts'
import {
  CaseError,
  type CaseSuite,
  type Expectation,
  isPolicyObject,
  nameOf,
  objectList,
  type PolicyCase,
  stringList,
  type ViolationCount,
  valuesOf,
} from './policy-case.ts'

/**
 * Reports whether a document is a suite of `gator verify`.
 * https://open-policy-agent.github.io/gatekeeper/website/docs/gator
 */
export const isGatorSuite = ({ apiVersion, kind }: JsonObject): boolean =>
  typeof apiVersion === 'string' && apiVersion.startsWith('test.gatekeeper.sh/') && kind === 'Suite'

/**
 * Reads the tests of a suite whose template is an admission policy, or is written in CEL, of which Gatekeeper makes
 * one. Throws CaseError.
 */
export function gatorSuites(file: string, document: JsonObject): CaseSuite[] {
  return objectList(document.tests).map(test => {
    const read = (path: Json | undefined): JsonObject[] =>
      typeof path === 'string' ? valuesOf(readManifestFile(join(dirname(file), path))) : []
    const title = String(test.name)
    const suite = { file, denies: true } as const
    const skip = (reason: string): CaseSuite => ({ ...suite, policies: [], given: [], cases: [], skipped: [{ name: title, reason }] })
    if (document.skip === true || test.skip === true) return skip('the suite skips it')
    if (test.invalid === true) return skip('it tests the schema of a constraint')
    const templates = read(test.template)
    const constraint = read(test.constraint)[0]
    const own = templates.filter(isPolicyObject)
    const policies =
      own.length > 0 ? own : templates.map(template => celPolicy(template, constraint)).filter(policy => policy !== undefined)
    if (policies.length === 0) return skip('the template is not written in CEL (K8sNativeValidation)')
    const cases = objectList(test.cases).map(each => gatorCases(file, `${title}: ${String(each.name)}`, read(each.object), each))
    return {
      ...suite,
      policies: withBindings(policies),
      // Policies see no other objects than parameters and the namespace.
      given: objectList(test.cases).flatMap(each =>
        stringList(each.inventory)
          .flatMap(read)
          .filter(({ kind }) => kind === 'Namespace'),
      ),
      cases: cases.flatMap(({ run }) => run),
      skipped: cases.flatMap(({ skipped }) => skipped),
    }
  })
}

/** Cases of a suite that are run, and those that are not. */
interface GatorCases {
  readonly run: readonly PolicyCase[]
  readonly skipped: CaseSuite['skipped']
}

function gatorCases(file: string, name: string, objects: readonly JsonObject[], { assertions, skip }: JsonObject): GatorCases {
  const skipped = (reason: string): GatorCases => ({ run: [], skipped: [{ name, reason }] })
  if (skip === true) return skipped('the suite skips it')
  const expected = expectationOf(file, name, objectList(assertions))
  const run: PolicyCase[] = []
  for (const object of objects) {
    const request = isReviewDocument(object) ? reviewed(object) : { object }
    if (request === undefined) return skipped('the request neither creates nor updates an object')
    run.push({ name, ...request, expected })
  }
  return { run, skipped: [] }
}

/** Reports whether an object is a request, which a case may have in place of the object. */
const isReviewDocument = ({ apiVersion, kind }: JsonObject): boolean =>
  typeof apiVersion === 'string' && apiVersion.startsWith('admission.k8s.io/') && kind === 'AdmissionReview'

/**
 * Returns the request of a review. An update that has no old object changes nothing. Undefined for requests that have
 * no object, such as deletions.
 */
function reviewed({ request }: JsonObject): Pick<PolicyCase, 'object' | 'old' | 'user' | 'groups'> | undefined {
  const { operation, object, oldObject, userInfo } = objectIn(request)
  const isUpdate = operation === 'UPDATE'
  if (!isJsonObject(object) || (operation !== 'CREATE' && !isUpdate)) return undefined
  const { username, groups } = objectIn(userInfo)
  return {
    object,
    ...(isUpdate && { old: isJsonObject(oldObject) ? oldObject : object }),
    ...(typeof username === 'string' && { user: username, groups: stringList(groups) }),
  }
}

/** Every assertion counts the violations whose message its regular expression matches. */
function expectationOf(file: string, name: string, assertions: readonly JsonObject[]): Expectation {
  const violations = assertions.map(({ violations: stated = 'yes', message }): ViolationCount => {
    const [least, most] = countRange(stated) ?? refuse(file, `${name}: violations`, 'a number, "yes" or "no" is required')
    if (typeof message !== 'string') return { least, most }
    const compiled = compileRegExp(message)
    return 'fault' in compiled ? refuse(file, `${name}: message`, compiled.fault) : { least, most, message: compiled }
  })
  // An assertion about some messages does not forbid others.
  const isDenied = violations.some(({ least }) => least > 0)
  return { ...((isDenied || violations.every(({ message }) => message === undefined)) && { allowed: !isDenied }), violations }
}

function countRange(stated: Json): readonly [least: number, most: number] | undefined {
  if (stated === 'yes' || stated === true) return [1, Number.POSITIVE_INFINITY]
  if (stated === 'no' || stated === false) return [0, 0]
  const count = Number(stated)
  return (typeof stated === 'number' || typeof stated === 'bigint') && Number.isInteger(count) && count >= 0 ? [count, count] : undefined
}

function refuse(file: string, field: string, fault: string): never {
  throw new CaseError(`${file}: ${field}: ${fault}`)
}

/** Returns the policy that Gatekeeper makes of a template in CEL. The constraint is part of it. */
function celPolicy(template: JsonObject, constraint: JsonObject | undefined): JsonObject | undefined {
  const [target] = objectList(objectIn(template.spec).targets)
  const code = objectList(target?.code).find(({ engine }) => engine === 'K8sNativeValidation')
  if (code === undefined) return undefined
  const { validations = [], variables, matchConditions, failurePolicy } = objectIn(code.source)
  const { parameters = null, match } = objectIn(constraint?.spec)
  const { labelSelector, namespaceSelector } = objectIn(match)
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: nameOf(template) },
    spec: {
      ...(typeof failurePolicy === 'string' && { failurePolicy }),
      matchConstraints: {
        resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: ['*'] }],
        ...(isJsonObject(labelSelector) && { objectSelector: labelSelector }),
        ...(isJsonObject(namespaceSelector) && { namespaceSelector }),
      },
      matchConditions: [...objectList(matchConditions), ...constraintConditions(objectIn(match))],
      variables: [
        { name: 'params', expression: dynamicLiteral(parameters) },
        { name: 'anyObject', expression: 'object' },
        ...objectList(variables),
      ],
      validations,
    },
  }
}

/** Conditions of the `match` of a constraint: kinds, and patterns of namespaces and of the name. */
function constraintConditions({ kinds, namespaces, excludedNamespaces, name }: JsonObject): JsonObject[] {
  const among = (values: readonly string[], field: string): string =>
    values.length === 0 || values.includes('*') ? 'true' : `${field} in ${goJson([...values])}`
  const ofKinds = objectList(kinds).map(
    each => `(${among(stringList(each.kinds), 'request.kind.kind')} && ${among(stringList(each.apiGroups), 'request.kind.group')})`,
  )
  const inNamespaces = (patterns: Json): string =>
    `${goJson(stringList(patterns).map(wholePattern))}.exists(p, object.metadata.namespace.matches(p))`
  const isGlobal = '!has(object.metadata.namespace)'
  return [
    ...(ofKinds.length > 0 ? [{ name: 'gatekeeper-kinds', expression: ofKinds.join(' || ') }] : []),
    ...(Array.isArray(namespaces) ? [{ name: 'gatekeeper-namespaces', expression: `${isGlobal} || ${inNamespaces(namespaces)}` }] : []),
    ...(Array.isArray(excludedNamespaces)
      ? [{ name: 'gatekeeper-excluded-namespaces', expression: `${isGlobal} || !${inNamespaces(excludedNamespaces)}` }]
      : []),
    ...(typeof name === 'string'
      ? [{ name: 'gatekeeper-name', expression: `object.metadata.name.matches(${goJson(wholePattern(name))})` }]
      : []),
  ]
}

/** Regular expression of a pattern with `*`, as Gatekeeper builds it. */
const wholePattern = (pattern: string): string => `^${pattern.replaceAll('*', '.*')}$`

/**
 * Returns a value as an expression of the type dyn, as parameters of a constraint are. Members are dyn as well, since
 * members of a literal must have the same type.
 */
function dynamicLiteral(value: Json): string {
  if (Array.isArray(value)) return `dyn([${value.map(dynamicLiteral).join(', ')}])`
  if (!isJsonObject(value)) return `dyn(${goJson(value)})`
  return `dyn({${Object.entries(value)
    .map(([name, member]) => `${goJson(name)}: ${dynamicLiteral(member)}`)
    .join(', ')}})`
}
