import type { ClusterRole, ClusterRoleBinding, PolicyRule, Subject } from '../../../api/rbac/v1.types.ts'
import { invariant } from '../../../lib/invariant.ts'
import { isGateName } from '../../../lifecycle/feature-gates.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { RBAC_GROUP } from '../shared/version.ts'

const API_VERSION = `${RBAC_GROUP}/v1`
const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' }
/** Annotation of a default role or binding. With "false" the server does not update it. */
export const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate'

const splitWords = (text: string | undefined): string[] => (text ?? '').split(',').map(word => (word === 'core' ? '' : word))
const nonEmptyLines = (text: string): string[] => text.split('\n').filter(Boolean)

interface PolicyLine {
  readonly text: string
  readonly holds: boolean
}

const MARK = / (since|until|gate)\(([^()]+)\)/g

/** Splits a text into lines without their marks, and evaluates the marks. */
function linesFor(text: string, features: Features): PolicyLine[] {
  return nonEmptyLines(text).map(line => ({
    text: line.replace(MARK, ''),
    holds: [...line.matchAll(MARK)].every(([, mark, value = '']) => holds(mark, value, features)),
  }))
}

function holds(mark: string | undefined, value: string, features: Features): boolean {
  if (mark !== 'gate') return isSince(features.release, `1.${Number(value.slice(2))}`) === (mark === 'since')
  invariant(isGateName(value), `there is no feature gate ${value}`)
  return features.enabled(value)
}

/** Parses a rule: two words for non-resource URLs, three or four for resources. */
function readRule(line: string): PolicyRule {
  const [verbs, first, resources, names] = line.trim().split(' ')
  if (resources === undefined) return { verbs: splitWords(verbs), nonResourceURLs: splitWords(first) }
  return {
    verbs: splitWords(verbs),
    apiGroups: splitWords(first),
    resources: splitWords(resources),
    ...(names !== undefined && { resourceNames: splitWords(names) }),
  }
}

/**
 * Parses the roles of a policy text. They are cluster roles unless `namespace` is set. A role is a line with its name,
 * followed by indented lines, one per rule:
 *
 *     verb,verb group,group resource,resource/subresource [name,name]
 *     verb /path,/path*
 *
 * `core` is the group without a name. After the name of a role, `+label` adds an aggregation label, and `<label`
 * aggregates the roles with that label. Any line may end with marks: `since(1.30)` is the first release with the line,
 * `until(1.31)` the first without it, and `gate(Name)` its feature gate. All marks must apply. Source: the bootstrap
 * policies of releases 1.24 to 1.36, and the controller roles of 1.37, in
 * plugin/pkg/auth/authorizer/rbac/bootstrappolicy in k8s.io/kubernetes.
 */
export function readRoles(text: string, features: Features, namespace?: string): ClusterRole[] {
  const roles: ClusterRole[] = []
  let rules: PolicyRule[] = []
  for (const { text: line, holds } of linesFor(text, features)) {
    if (line.startsWith(' ')) {
      if (holds) rules.push(readRule(line))
      continue
    }
    // Rules of a role that the release does not have are discarded.
    rules = []
    if (!holds) continue
    const [name = '', ...marks] = line.split(' ')
    const marked = (sign: string): string[] => marks.filter(mark => mark.startsWith(sign)).map(mark => `${RBAC_GROUP}/${mark.slice(1)}`)
    const labels = { ...LABELS, ...Object.fromEntries(marked('+').map(label => [label, 'true'])) }
    const selectors = marked('<').map(label => ({ matchLabels: { [label]: 'true' } }))
    roles.push({
      kind: namespace === undefined ? 'ClusterRole' : 'Role',
      apiVersion: API_VERSION,
      metadata: { name, ...(namespace !== undefined && { namespace }), labels, annotations: { [AUTO_UPDATE]: 'true' } },
      rules,
      ...(selectors.length > 0 && { aggregationRule: { clusterRoleSelectors: selectors } }),
    })
  }
  return roles
}

/** Parses a subject. Service accounts have a namespace and no API group. */
function readSubject(text: string): Subject {
  const [kind, name = ''] = text.split(' ')
  if (kind !== 'account') return { kind: kind === 'user' ? 'User' : 'Group', apiGroup: RBAC_GROUP, name }
  const [namespace = '', account = ''] = name.split('/')
  return { kind: 'ServiceAccount', name: account, namespace }
}

/**
 * Parses bindings of a policy text, in a namespace or in the cluster: lines of the form
 * `name = role: user NAME, group NAME, account NAMESPACE/NAME`, with the same marks as roles.
 */
export const readBindings = (text: string, features: Features, namespace?: string): ClusterRoleBinding[] =>
  linesFor(text, features).flatMap(({ text: line, holds }) => {
    if (!holds) return []
    const [, name = '', role = '', who] = /^(\S+) = (\S+?)(?:: (.+))?$/.exec(line) ?? []
    return {
      kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
      apiVersion: API_VERSION,
      metadata: { name, ...(namespace !== undefined && { namespace }), labels: { ...LABELS }, annotations: { [AUTO_UPDATE]: 'true' } },
      ...(who !== undefined && { subjects: who.split(', ').map(readSubject) }),
      roleRef: { apiGroup: RBAC_GROUP, kind: namespace === undefined ? 'ClusterRole' : 'Role', name: role },
    }
  })
