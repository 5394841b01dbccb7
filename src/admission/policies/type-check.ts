import type {
  ExpressionWarning,
  NamedRuleWithOperations,
  ParamKind,
  ValidatingAdmissionPolicySpec,
} from '../../api/admissionregistration/v1.types.ts'
import type { Catalog, ServedResource } from '../../catalog/catalog.ts'
import { admissionEnvironment, seenType } from '../../cel/admission-environment.ts'
import { compileInSteps } from '../../cel/compile.ts'
import { baseEnvironment, type Environment, EVERY_RELEASE, extend } from '../../cel/environment.ts'
import type { DeclaredTypes } from '../../cel/schema/declared-type.ts'
import { declareStruct } from '../../cel/schema/struct-types.ts'
import { DYN, type Type } from '../../cel/type.ts'
import { compareText } from '../../lib/compare-text.ts'
import type { Steps } from '../../lib/steps.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { parseApiVersion } from '../../meta/gvk.ts'
import type { AdmissionPolicy, PolicySpec } from './policy.ts'

/** Maximum number of kinds that are checked. */
const MAX_KINDS = 10

/**
 * Maximum length of all warnings together, in UTF-16 units. Checking stops when it is exceeded, because the status
 * holds them all. A single expression and kind can yield a hundred errors, each quoting its line.
 */
const MOST_TEXT = 256 * 1024

const BASE = baseEnvironment(EVERY_RELEASE)

/**
 * Type-checks the validations of a policy against the schemas of its kinds and paramKind. Returns one warning per
 * expression, with a paragraph for each kind. Kinds are those that rules name without wildcards. The result does not
 * affect enforcement. Runs in steps, because a policy can have very many expressions.
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#type-checking
 */
export function* checkPolicyTypes({ spec }: AdmissionPolicy<ValidatingAdmissionPolicySpec>, catalog: Catalog): Steps<ExpressionWarning[]> {
  const params = spec.paramKind && servedKind(catalog, spec.paramKind)
  const kinds: { readonly kind: ServedResource; readonly environment: Environment }[] = []
  for (const kind of matchedKinds(spec.matchConstraints?.resourceRules ?? [], catalog))
    kinds.push({ kind, environment: yield* environmentOf(kind, params, spec) })
  const warnings: ExpressionWarning[] = []
  let length = 0
  for (const [i, validation] of (spec.validations ?? []).entries())
    for (const member of ['expression', 'messageExpression'] as const) {
      const { [member]: expression = '' } = validation
      if (expression === '') continue
      const paragraphs: string[] = []
      for (const { kind, environment } of kinds) {
        const { issues } = yield* compileInSteps(expression, environment)
        yield
        if (issues.count > 0) paragraphs.push(`${kindText(kind)}: ${issues}\n`)
      }
      if (paragraphs.length === 0) continue
      const warning = paragraphs.join('\n')
      warnings.push({ fieldRef: fieldPath('spec', 'validations').index(i).child(member).text, warning })
      length += warning.length
      if (length > MOST_TEXT) return warnings
    }
  return warnings
}

const kindText = ({ version }: ServedResource): string => `${version.group}/${version.name}, Kind=${version.kind}`

function servedKind(catalog: Catalog, { apiVersion = '', kind = '' }: ParamKind): ServedResource | undefined {
  const version = parseApiVersion(apiVersion)
  return version && catalog.snapshot().ofKind(version, kind)
}

/** Kinds that rules name without wildcards, at most `MAX_KINDS`. */
function matchedKinds(rules: readonly NamedRuleWithOperations[], catalog: Catalog): ServedResource[] {
  const snapshot = catalog.snapshot()
  const found = new Map<string, ServedResource>()
  for (const { apiGroups = [], apiVersions = [], resources = [] } of rules) {
    if ([...apiGroups, ...apiVersions].some(text => text.includes('*'))) continue
    const plain = resources.filter(resource => !/[*/]/.test(resource))
    let count = 0
    for (const group of [...apiGroups].sort(compareText))
      for (const version of [...apiVersions].sort(compareText))
        for (const resource of plain.sort(compareText)) {
          const served = snapshot.find(group, version, resource)
          if (!served || count === MAX_KINDS) continue
          found.set(kindText(served), served)
          count++
        }
    if (count === MAX_KINDS) break
  }
  return [...found.values()].sort(
    ({ version: a }, { version: b }) => compareText(a.group, b.group) || compareText(a.name, b.name) || compareText(a.kind, b.kind),
  )
}

/** Environment with the declared types of `object` and `params`. Variables have the types of their expressions. */
function* environmentOf({ version }: ServedResource, params: ServedResource | undefined, spec: PolicySpec): Steps<Environment> {
  const object = yield* declareStruct(version.schema, version.kind)
  const parameters = params && (yield* declareStruct(params.version.schema, `${params.version.kind}.@params`))
  const types = new Map<string, Type>()
  const base = admissionEnvironment(BASE, { params: params !== undefined, authorizer: true, variables: types })
  const environment = withTypes(base, object, parameters)
  for (const { name, expression } of spec.variables ?? []) {
    const { checked } = yield* compileInSteps(expression, environment)
    yield
    types.set(name, checked ? seenType(checked.result) : DYN)
  }
  return environment
}

/** Adds the types of one kind for `object` and one for `params`. */
function withTypes(base: Environment, { type = DYN, struct }: DeclaredTypes, params: DeclaredTypes | undefined): Environment {
  const declared = { object: type, oldObject: type, ...(params?.type && { params: params.type }) }
  const environment = extend(base, declared, name => struct(name) ?? params?.struct(name))
  // Upstream's type checker does not know `authorizer.requestResource` and reports it as an error.
  const variables = new Map([...environment.variables].filter(([name]) => name !== 'authorizer.requestResource'))
  return { ...environment, variables }
}
