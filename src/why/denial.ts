import type { JsonObject } from '../api/meta/object.ts'
import type { PolicyRule } from '../api/rbac/v1.types.ts'
import { missingParts } from '../auth/authz/rbac/policy.ts'
import type { BoundRole, RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import { yamlBytes } from '../codec/yaml.ts'
import { quoteForShell } from '../lib/shell-quote.ts'
import { isStepDone, type Steps } from '../lib/steps.ts'
import type { RequestAttributes, User } from '../meta/context.ts'
import type { ClosestGrant, MissingPermissions } from './types.ts'

/** Maximum number of closest bindings. */
const MOST = 3
/**
 * Distance that each missing part adds between a rule and the request. Rules farther than `FAR` are unrelated to it.
 */
const WEIGHTS: Readonly<Record<ClosestGrant['missing'][number], number>> = {
  name: 1,
  verb: 1.2,
  apiGroup: 1.3,
  namespace: 1.5,
  resource: 2,
  subject: 2.1,
  path: 2,
}
/** Largest distance of a rule that is reported, inclusive. */
const FAR = 3
/** Prefix of bindings for the control plane's own components, which are never suggested. */
const OF_SYSTEM = 'system:'

interface Candidate {
  readonly bound: BoundRole
  readonly rule: PolicyRule
  readonly missing: ClosestGrant['missing']
  readonly distance: number
}

/**
 * Explains why no authorizer allows a request, by the current roles and bindings, all of which are examined. `rules`:
 * undefined if no mode uses roles.
 */
export function* denialOf(
  rules: RuleIndex | undefined,
  modes: readonly string[],
  user: User,
  asked: RequestAttributes,
): Steps<MissingPermissions> {
  const candidates: Candidate[] = []
  let allowedNow: string | undefined
  for (const bound of rules?.bound(user) ?? []) {
    if (isStepDone()) yield
    if (bound.subject === undefined && bound.name.startsWith(OF_SYSTEM)) continue
    const best = closestRule(bound, asked)
    if (best === undefined) continue
    if (best.missing.length === 0) allowedNow ??= `${bindingOf(bound)} of ${roleOf(bound)}`
    candidates.push(best)
    if (candidates.length > 64) keepBest(candidates)
  }
  keepBest(candidates)
  return {
    modes,
    ...(allowedNow !== undefined && { allowedNow }),
    closest: candidates.map(closestGrant),
    toAllow: modes.includes('RBAC') ? byRoles(user, asked) : byRules(modes, user, asked),
  }
}

/** Sorts the candidates by distance and drops all but the best MOST. */
function keepBest(candidates: Candidate[]): void {
  candidates.sort((a, b) => a.distance - b.distance)
  candidates.length = Math.min(candidates.length, MOST)
}

/** Returns the rule of a binding with the smallest distance. Undefined if none is close. */
function closestRule(bound: BoundRole, asked: RequestAttributes): Candidate | undefined {
  const isElsewhere = bound.namespace !== '' && bound.namespace !== asked.namespace
  let best: Candidate | undefined
  for (const rule of bound.rules) {
    // A rule for paths is not close to a resource request, and the reverse.
    if (!(asked.isResource ? rule.resources : rule.nonResourceURLs)?.length) continue
    const missing: ClosestGrant['missing'] = [
      ...(bound.subject ? [] : (['subject'] as const)),
      ...(isElsewhere ? (['namespace'] as const) : []),
      ...missingParts(rule, asked),
    ]
    const distance = missing.reduce((sum, part) => sum + WEIGHTS[part], isUnbounded(rule) && !bound.subject ? 1 : 0)
    if (distance <= FAR && (best === undefined || distance < best.distance)) best = { bound, rule, missing, distance }
  }
  return best
}

/**
 * Reports whether a rule allows everything, as those of administrators do. These roles are never suggested in a
 * binding.
 */
const isUnbounded = ({ verbs, resources, nonResourceURLs }: PolicyRule): boolean =>
  verbs?.includes('*') === true && (resources ?? nonResourceURLs ?? []).includes('*')

const bindingOf = ({ namespace, name }: BoundRole): string =>
  namespace === '' ? `ClusterRoleBinding ${name}` : `RoleBinding ${namespace}/${name}`
const roleOf = ({ role }: BoundRole): string => `${role.kind} ${role.name}`

/** Maximum entries that are shown of each list of a rule. */
const SHOWN = 20

/** Long lists of the rule are cut, since the result is part of a response. */
function closestGrant({ bound, rule, missing }: Candidate): ClosestGrant {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule
  const some = (list: readonly string[]): readonly string[] => list.slice(0, SHOWN)
  return {
    binding: bindingOf(bound),
    role: roleOf(bound),
    ...(bound.subject && { subject: `${bound.subject.kind} ${bound.subject.name}` }),
    rule: {
      verbs: some(verbs ?? []),
      ...(apiGroups && { apiGroups: some(apiGroups) }),
      ...(resources && { resources: some(resources) }),
      ...(resourceNames && resourceNames.length > 0 && { resourceNames: some(resourceNames) }),
      ...(nonResourceURLs && { nonResourceURLs: some(nonResourceURLs) }),
    },
    missing,
  }
}

/** User name of a service account, with its namespace and name. */
const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/

/** Returns a role and a binding that allow the request, and nothing else. */
function byRoles(user: User, asked: RequestAttributes): MissingPermissions['toAllow'] {
  const { isResource, verb, group, resource, subresource, namespace, path } = asked
  const full = subresource === '' ? resource : `${resource}/${subresource}`
  const [, accountNamespace = '', account] = ACCOUNT.exec(user.name) ?? []
  // The authorizer does not know the name of an object that is being created.
  const ofName = isResource && asked.name !== '' && verb !== 'create' ? asked.name : undefined
  const name = suggestedName([account ?? user.name, verb, isResource ? full : path, ...(ofName === undefined ? [] : [ofName])].join('-'))
  const rule: PolicyRule = isResource
    ? { verbs: [verb], apiGroups: [group], resources: [full], ...(ofName !== undefined && { resourceNames: [ofName] }) }
    : { verbs: [verb], nonResourceURLs: [path] }
  const ofCluster = !isResource || namespace === ''
  const kind = ofCluster ? 'ClusterRole' : 'Role'
  const subject: JsonObject =
    account === undefined
      ? { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user.name }
      : { kind: 'ServiceAccount', name: account, namespace: accountNamespace }
  const metadata: JsonObject = { name, ...(!ofCluster && { namespace }) }
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  const role: JsonObject = { apiVersion, kind, metadata, rules: [{ ...rule }] }
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name }
  const binding: JsonObject = { apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects: [subject] }
  const what = isResource
    ? `--resource=${quoteForShell(kubectlResource(group, resource, subresource))}`
    : `--non-resource-url=${quoteForShell(path)}`
  const who =
    account === undefined ? `--user=${quoteForShell(user.name)}` : `--serviceaccount=${quoteForShell(`${accountNamespace}:${account}`)}`
  const where = ofCluster ? '' : ` --namespace=${quoteForShell(namespace)}`
  const word = kind.toLowerCase()
  return {
    commands: [
      `kubectl create ${word} ${name} --verb=${quoteForShell(verb)} ${what}${ofName === undefined ? '' : ` --resource-name=${quoteForShell(ofName)}`}${where}`,
      `kubectl create ${word}binding ${name} --${word}=${name} ${who}${where}`,
    ],
    yaml: `${yamlBytes(role).toString()}---\n${yamlBytes(binding).toString()}`,
  }
}

/** Returns a line of the mode's policy file that allows the request. */
function byRules(
  modes: readonly string[],
  { name }: User,
  { isResource, verb, group, resource, subresource, namespace, path }: RequestAttributes,
): MissingPermissions['toAllow'] {
  const full = subresource === '' ? resource : `${resource}/${subresource}`
  if (modes.includes('Rules')) {
    const place: JsonObject = isResource
      ? { apiGroups: [group], resources: [full], ...(namespace !== '' && { namespaces: [namespace] }) }
      : { nonResourceURLs: [path] }
    return { commands: [], yaml: yamlBytes({ rules: [{ users: [name], verbs: [verb], ...place }] }).toString() }
  }
  if (modes.includes('ABAC')) {
    const place: JsonObject = isResource ? { apiGroup: group, resource, namespace: namespace || '*' } : { nonResourcePath: path }
    return {
      commands: [],
      yaml: `${JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec: { user: name, ...place } })}\n`,
    }
  }
  return { commands: [], yaml: '' }
}

/** Returns a resource as `kubectl create role` accepts it: `deployments.apps/scale`. */
const kubectlResource = (group: string, resource: string, subresource: string): string =>
  `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`

/** Characters of a suggested name: those of a DNS label, although names of roles may be longer. */
const LONGEST_NAME = 63

const suggestedName = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_NAME)
    .replace(/^-|-$/g, '')
