import { dirname, join } from 'node:path'
import { isJsonObject, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { manifestFiles, readManifestFile } from '../../upgrade/manifests.ts'
import { type CaseSuite, isBinding, isPolicyObject, nameOf, objectList, type PolicyCase, stringList, valuesOf } from './policy-case.ts'

/** Reports whether a document is a test of `kyverno test`. https://kyverno.io/docs/kyverno-cli/reference/kyverno_test */
export const isKyvernoTest = ({ apiVersion, kind }: JsonObject): boolean =>
  typeof apiVersion === 'string' && apiVersion.startsWith('cli.kyverno.io/') && kind === 'Test'

/** Reads a test of `kyverno test`, as far as it tests admission policies of Kubernetes. */
export function kyvernoSuite(file: string, document: JsonObject): CaseSuite {
  const read = (paths: readonly string[]): JsonObject[] =>
    paths.flatMap(path => manifestFiles([join(dirname(file), path)]).flatMap(each => valuesOf(readManifestFile(each))))
  const policies = read(stringList(document.policies)).filter(isPolicyObject)
  const resources = read([...stringList(document.resources), ...stringList(document.targetResources)])
  const names = new Set(policies.filter(policy => !isBinding(policy)).map(nameOf))
  const cases: PolicyCase[] = []
  const skipped: { name: string; reason: string }[] = []
  for (const result of objectList(document.results)) {
    const policy = String(result.policy ?? '')
    const title = `${policy}: ${String(result.result)}`
    if (!names.has(policy)) {
      skipped.push({ name: title, reason: 'the policy is not an admission policy of Kubernetes' })
      continue
    }
    if (result.result === 'skip') {
      skipped.push({ name: title, reason: 'the test expects that the policy is not evaluated' })
      continue
    }
    const patched =
      typeof result.patchedResources === 'string'
        ? read([result.patchedResources])
        : typeof result.patchedResource === 'string'
          ? read([result.patchedResource])
          : []
    for (const object of chosen(resources, result)) cases.push(caseOf(policy, object, result, patched))
  }
  return { file, policies: withBindings(policies), given: resources.filter(({ kind }) => kind === 'Namespace'), cases, skipped, denies: true }
}

/** Resources that a result is about, by name or by namespace and name. */
function chosen(resources: readonly JsonObject[], { resources: listed, resource, kind }: JsonObject): JsonObject[] {
  const names = [...stringList(listed), ...(typeof resource === 'string' ? [resource] : [])]
  const ofKind = resources.filter(each => typeof kind !== 'string' || each.kind === kind)
  if (names.length === 0) return ofKind
  return names.flatMap(name => {
    const [last = '', namespace] = name.split('/').toReversed()
    return ofKind.filter(each => nameOf(each) === last && (namespace === undefined || namespace === (objectIn(each.metadata).namespace ?? 'default')))
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
