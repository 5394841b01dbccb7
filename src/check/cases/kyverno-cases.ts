import { dirname, join } from 'node:path'
import { isJsonObject, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { manifestFiles, readManifestFile } from '../../upgrade/manifests.ts'
import {
  type CaseSuite,
  isBinding,
  isPolicyObject,
  nameOf,
  objectList,
  type PolicyCase,
  type SkippedCase,
  stringList,
  valuesOf,
} from './policy-case.ts'

/**
 * Reports whether a document is a test of `kyverno test`. https://kyverno.io/docs/kyverno-cli/reference/kyverno_test
 */
export const isKyvernoTest = ({ apiVersion, kind }: JsonObject): boolean =>
  typeof apiVersion === 'string' && /^(?:cli\.)?kyverno\.io\//.test(apiVersion) && kind === 'Test'

/** Reads a test of `kyverno test`, as far as it tests admission policies of Kubernetes. */
export function kyvernoSuite(file: string, document: JsonObject): CaseSuite {
  const values = (path: string): JsonObject[] => valuesOf(readManifestFile(join(dirname(file), path)))
  const read = (paths: readonly string[]): JsonObject[] =>
    paths.flatMap(path => manifestFiles([join(dirname(file), path)]).flatMap(each => valuesOf(readManifestFile(each))))
  const policies = read(stringList(document.policies)).filter(isPolicyObject)
  const names = new Set(policies.filter(policy => !isBinding(policy)).map(nameOf))
  const isTested = objectList(document.results).some(({ policy }) => names.has(String(policy ?? '')))
  // Tests of other policies may name files that only kyverno finds.
  if (!isTested) return { file, policies: [], given: [], cases: [], skipped: objectList(document.results).map(otherPolicy), denies: true }
  const resources = read([...stringList(document.resources), ...stringList(document.targetResources)])
  const [user] = typeof document.userinfo === 'string' ? values(document.userinfo) : []
  const cases: PolicyCase[] = []
  const skipped: SkippedCase[] = []
  for (const result of objectList(document.results)) {
    const policy = String(result.policy ?? '')
    if (!names.has(policy)) {
      skipped.push(otherPolicy(result))
      continue
    }
    const patched = [result.patchedResources, result.patchedResource].flatMap(path => (typeof path === 'string' ? read([path]) : []))
    for (const object of chosen(resources, result)) cases.push({ ...caseOf(policy, object, result, patched), ...userOf(user) })
  }
  const stated = typeof document.variables === 'string' ? values(document.variables) : [objectIn(document.values)]
  const tested = new Set(cases.filter(({ object }) => object.kind === 'Namespace').map(({ object }) => nameOf(object)))
  const used = new Set(cases.map(({ object }) => objectIn(object.metadata).namespace))
  // A case creates its namespace, which must not exist before unless other cases need it.
  const namespaces = [...resources.filter(({ kind }) => kind === 'Namespace'), ...stated.flatMap(labelledNamespaces)].filter(
    namespace => !tested.has(nameOf(namespace)) || used.has(nameOf(namespace)),
  )
  return {
    file,
    policies: withBindings(policies),
    given: [...namespaces, ...read(stringList(document.paramResources))],
    cases,
    skipped,
    denies: true,
  }
}

/** A result for a policy of kyverno's own kinds. */
const otherPolicy = ({ policy = '', result }: JsonObject): SkippedCase => ({
  name: `${String(policy)}: ${String(result)}`,
  reason: 'the policy is not an admission policy of Kubernetes',
})

/** User of a file with `userInfo`. */
function userOf(document: JsonObject | undefined): Pick<PolicyCase, 'user' | 'groups'> {
  const { username, groups } = objectIn(document?.userInfo)
  return typeof username === 'string' ? { user: username, groups: stringList(groups) } : {}
}

/** Namespaces with the labels that a file of values states for them. */
const labelledNamespaces = ({ namespaceSelector }: JsonObject): JsonObject[] =>
  objectList(namespaceSelector).map(({ name = '', labels = {} }) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }))

/** Resources that a result is about, by name or by namespace and name. */
function chosen(resources: readonly JsonObject[], { resources: listed, resource, kind }: JsonObject): JsonObject[] {
  const names = [...stringList(listed), ...(typeof resource === 'string' ? [resource] : [])]
  const ofKind = resources.filter(each => typeof kind !== 'string' || each.kind === kind)
  if (names.length === 0) return ofKind
  return names.flatMap(name => {
    const [last = '', namespace] = name.split('/').toReversed()
    return ofKind.filter(
      each => nameOf(each) === last && (namespace === undefined || namespace === (objectIn(each.metadata).namespace ?? 'default')),
    )
  })
}

function caseOf(policy: string, object: JsonObject, { result }: JsonObject, patched: readonly JsonObject[]): PolicyCase {
  const mutated = patched.find(each => each.kind === object.kind && nameOf(each) === nameOf(object))
  return {
    name: `${policy}: ${String(object.kind)} ${nameOf(object)}: ${String(result)}`,
    object,
    expected: { allowed: result !== 'fail', policy, ...(mutated && result === 'pass' && { mutated }) },
  }
}

/** Adds a binding to each policy that has none, as Kyverno evaluates policies without bindings, too. */
export function withBindings(policies: readonly JsonObject[]): JsonObject[] {
  const bound = new Set(policies.filter(isBinding).map(binding => objectIn(binding.spec).policyName))
  const unbound = policies.filter(policy => !isBinding(policy) && !bound.has(nameOf(policy)))
  return [...policies, ...unbound.map(bindingOf)].map(denying)
}

const bindingOf = ({ apiVersion = '', kind = '', metadata }: JsonObject): JsonObject => ({
  apiVersion,
  kind: `${String(kind)}Binding`,
  metadata: { name: `${String(objectIn(metadata).name)}-binding` },
  spec: { policyName: objectIn(metadata).name ?? '' },
})

/** Makes a binding deny, whatever its actions are: the result of a test does not depend on them. */
function denying(object: JsonObject): JsonObject {
  const isValidating = object.kind === 'ValidatingAdmissionPolicyBinding'
  return isValidating && isJsonObject(object.spec) ? { ...object, spec: { ...object.spec, validationActions: ['Deny'] } } : object
}
