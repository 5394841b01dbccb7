import { RBAC_GROUP } from '../shared/version.ts'
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Subject } from '../v1.types.ts'

const API_VERSION = `${RBAC_GROUP}/v1`
const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' }
/** An annotation: "false" on an object of the policy keeps it as it is. */
export const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate'

const list = (text: string | undefined): string[] => (text ?? '').split(',').map(word => (word === 'core' ? '' : word))
const linesOf = (text: string): string[] => text.split('\n').filter(Boolean)

/** Two words are a rule for URLs, three or four one for resources. */
function readRule(line: string): PolicyRule {
  const [verbs, first, resources, names] = line.trim().split(' ')
  if (resources === undefined) return { verbs: list(verbs), nonResourceURLs: list(first) }
  return { verbs: list(verbs), apiGroups: list(first), resources: list(resources), ...(names !== undefined && { resourceNames: list(names) }) }
}

/**
 * Roles of a policy text: of the namespace, or cluster roles without one. A role is a line with its name, and below it, indented, a line a rule:
 *
 *     verb,verb group,group resource,resource/subresource [name,name]
 *     verb /path,/path*
 *
 * `core` is the group without a name. After the role's name, `+label` has it aggregated into others, `<label` aggregates those that have the label.
 */
export function readRoles(text: string, namespace?: string): ClusterRole[] {
  const roles: ClusterRole[] = []
  let rules: PolicyRule[] = []
  for (const line of linesOf(text)) {
    if (line.startsWith(' ')) {
      rules.push(readRule(line))
      continue
    }
    const [name = '', ...marks] = line.split(' ')
    const marked = (sign: string): string[] => marks.filter(mark => mark.startsWith(sign)).map(mark => `${RBAC_GROUP}/${mark.slice(1)}`)
    const labels = { ...LABELS, ...Object.fromEntries(marked('+').map(label => [label, 'true'])) }
    const selectors = marked('<').map(label => ({ matchLabels: { [label]: 'true' } }))
    rules = []
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

/** Service accounts have a namespace and no group. */
function readSubject(text: string): Subject {
  const [kind, name = ''] = text.split(' ')
  if (kind !== 'account') return { kind: kind === 'user' ? 'User' : 'Group', apiGroup: RBAC_GROUP, name }
  const [namespace = '', account = ''] = name.split('/')
  return { kind: 'ServiceAccount', name: account, namespace }
}

/** Bindings of a policy text, in the namespace or in the cluster: lines of `name = role: user NAME, group NAME, account NAMESPACE/NAME`. */
export const readBindings = (text: string, namespace?: string): ClusterRoleBinding[] =>
  linesOf(text).map(line => {
    const [, name = '', role = '', who] = /^(\S+) = (\S+?)(?:: (.+))?$/.exec(line) ?? []
    return {
      kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
      apiVersion: API_VERSION,
      metadata: { name, ...(namespace !== undefined && { namespace }), labels: { ...LABELS }, annotations: { [AUTO_UPDATE]: 'true' } },
      ...(who !== undefined && { subjects: who.split(', ').map(readSubject) }),
      roleRef: { apiGroup: RBAC_GROUP, kind: namespace === undefined ? 'ClusterRole' : 'Role', name: role },
    }
  })
