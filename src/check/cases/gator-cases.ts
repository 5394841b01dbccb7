import { dirname, join } from 'node:path'
import { isJsonObject, type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { goJson } from '../../codec/json.ts'
import { readManifestFile } from '../../upgrade/manifests.ts'
import { withBindings } from './kyverno-cases.ts'
import { type CaseSuite, isPolicyObject, nameOf, objectList, type PolicyCase, stringList, valuesOf } from './policy-case.ts'

/**
 * Reports whether a document is a suite of `gator verify`.
 * https://open-policy-agent.github.io/gatekeeper/website/docs/gator
 */
export const isGatorSuite = ({ apiVersion, kind }: JsonObject): boolean =>
  typeof apiVersion === 'string' && apiVersion.startsWith('test.gatekeeper.sh/') && kind === 'Suite'

/**
 * Reads the tests of a suite whose template is an admission policy, or is written in CEL, of which Gatekeeper makes
 * one.
 */
export function gatorSuites(file: string, document: JsonObject): CaseSuite[] {
  return objectList(document.tests).map(test => {
    const read = (path: Json | undefined): JsonObject[] =>
      typeof path === 'string' ? valuesOf(readManifestFile(join(dirname(file), path))) : []
    const title = String(test.name)
    const templates = read(test.template)
    const constraint = read(test.constraint)[0]
    const own = templates.filter(isPolicyObject)
    const policies =
      own.length > 0 ? own : templates.map(template => celPolicy(template, constraint)).filter(policy => policy !== undefined)
    const cases = test.skip === true || policies.length === 0 ? [] : objectList(test.cases)
    const reason = test.skip === true ? 'the suite skips it' : 'the template is not written in CEL (K8sNativeValidation)'
    return {
      file,
      policies: withBindings(policies),
      given: cases.flatMap(each => stringList(each.inventory).flatMap(read)),
      cases: cases.flatMap(each => read(each.object).map(object => gatorCase(`${title}: ${String(each.name)}`, object, each))),
      skipped: cases.length > 0 ? [] : [{ name: title, reason }],
      denies: true,
    }
  })
}

function gatorCase(name: string, object: JsonObject, { assertions }: JsonObject): PolicyCase {
  const wanted = objectList(assertions)
  const violates = wanted.find(
    ({ violations }) => violations === 'yes' || violations === true || (typeof violations === 'number' && violations > 0),
  )
  return {
    name,
    object,
    expected: { allowed: violates === undefined, message: typeof violates?.message === 'string' ? violates.message : undefined },
  }
}

/** Returns the policy that Gatekeeper makes of a template in CEL. The parameters of the constraint are part of it. */
function celPolicy(template: JsonObject, constraint: JsonObject | undefined): JsonObject | undefined {
  const [target] = objectList(objectIn(template.spec).targets)
  const code = objectList(target?.code).find(({ engine }) => engine === 'K8sNativeValidation')
  if (code === undefined) return undefined
  const { validations = [], variables, matchConditions } = objectIn(code.source)
  const { parameters = null, match } = objectIn(constraint?.spec)
  const { kinds, labelSelector } = objectIn(match)
  const chosen = objectList(kinds)
    .flatMap(each => stringList(each.kinds))
    .filter(kind => kind !== '*')
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: nameOf(template) },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: ['*'] }],
        ...(isJsonObject(labelSelector) && { objectSelector: labelSelector }),
      },
      matchConditions: [
        ...(chosen.length > 0 ? [{ name: 'gatekeeper-kinds', expression: `request.kind.kind in ${goJson(chosen)}` }] : []),
        ...objectList(matchConditions),
      ],
      variables: [
        { name: 'params', expression: `dyn(${goJson(parameters)})` },
        { name: 'anyObject', expression: 'object' },
        ...objectList(variables),
      ],
      validations,
    },
  }
}
