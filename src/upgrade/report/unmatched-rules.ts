import { REVIEWS } from '../../admission/matching.ts'
import { isJsonObject, type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { LIFECYCLES } from '../../lifecycle/kinds.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'
import { apiVersionOf } from '../../meta/gvk.ts'
import { objectsIn, textsIn } from '../../meta/json-members.ts'
import { OLD_VERSIONS, standingIn } from '../versions/old-versions.ts'
import type { Level } from './finding.ts'

/** A rule of a webhook, policy or role that no longer matches anything. */
export interface UnmatchedRule {
  readonly path: string
  readonly message: string
  readonly level: Level
  readonly advice: string
}

const WEBHOOKS = /^(?:Mutating|Validating)WebhookConfiguration$/
const POLICIES = /^(?:Mutating|Validating)AdmissionPolicy(?:Binding)?$/
const ROLES = /^(?:Cluster)?Role$/

/** Returns the unmatched rules of an object, in a release. */
export function unmatchedRulesOf(object: JsonObject, kind: string, release: Release): UnmatchedRule[] {
  if (WEBHOOKS.test(kind))
    return objectsIn(object.webhooks).flatMap(({ rules }, i) => [
      ...versionRules(rules, `webhooks[${i}].rules`, release),
      ...(isSince(release, '1.37') ? reviewRules(rules, `webhooks[${i}].rules`, release) : []),
    ])
  if (POLICIES.test(kind)) {
    const spec = objectIn(object.spec)
    return (['matchConstraints', 'matchResources'] as const).flatMap(name => {
      const resources = spec[name]
      return isJsonObject(resources) ? versionRules(resources.resourceRules, `spec.${name}.resourceRules`, release) : []
    })
  }
  return ROLES.test(kind) ? roleRules(object, release) : []
}

/**
 * Checks rules with groups and versions. A rule that also names a served version still matches, since requests are
 * converted.
 */
function versionRules(rules: Json | undefined, path: string, release: Release): UnmatchedRule[] {
  return objectsIn(rules).flatMap(({ apiGroups, apiVersions, resources }, i) => {
    const pairs = textsIn(apiGroups).flatMap(group => textsIn(apiVersions).map(version => ({ group, version })))
    const gone = pairs.filter(({ group, version }) => isGone(group, version, textsIn(resources), release))
    if (gone.length === 0) return []
    const names = gone.map(apiVersionOf).join(', ')
    const all = gone.length === pairs.length
    return [
      {
        path: `${path}[${i}]`,
        level: all ? 'blocking' : 'note',
        message: all
          ? `applies to ${names} alone, which ${release} does not serve: it would match no request`
          : `names ${names}, which ${release} does not serve`,
        advice: 'use the versions that are served',
      },
    ]
  })
}

/**
 * Checks for reviews of authentication and authorization, which webhooks do not receive since 1.37 (gate
 * ExcludeAdmissionWebhookVirtualResources).
 */
function reviewRules(rules: Json | undefined, path: string, release: Release): UnmatchedRule[] {
  return objectsIn(rules).flatMap(({ apiGroups, resources }, i) => {
    const pairs = textsIn(apiGroups).flatMap(group => textsIn(resources).map(resource => ({ group, resource })))
    const reviews = pairs.filter(({ group, resource }) => REVIEWS.get(group)?.has(resource) || (REVIEWS.has(group) && resource === '*'))
    if (reviews.length === 0) return []
    const names = reviews.map(({ group, resource }) => `${resource}.${group}`).join(', ')
    const all = reviews.length === pairs.length
    return [
      {
        path: `${path}[${i}]`,
        level: all ? 'blocking' : 'note',
        message: all
          ? `applies to ${names} alone, which ${release} sends to no webhook: it would match no request`
          : `names ${names}, which ${release} sends to no webhook`,
        advice: 'use an authorization webhook instead',
      },
    ]
  })
}

/** Checks for removed groups. Roles do not name versions. */
function roleRules({ metadata, rules }: JsonObject, release: Release): UnmatchedRule[] {
  const labels = objectIn(objectIn(metadata).labels)
  // The server updates default roles itself.
  if (labels['kubernetes.io/bootstrapping'] === 'rbac-defaults') return []
  const granted = objectsIn(rules)
  return granted.flatMap(({ apiGroups, resources }, i) => {
    const groups = textsIn(apiGroups)
    if (!groups.includes('extensions') || !isGone('extensions', '*', ['*'], release)) return []
    const moved = textsIn(resources).filter(resource => {
      const group = MOVED[resource.split('/')[0] ?? '']
      return group !== undefined && !granted.some(rule => ruleMatches(rule, group, resource))
    })
    return moved.length === 0
      ? []
      : [
          {
            path: `rules[${i}]`,
            level: 'warning',
            message: `grants ${moved.join(', ')} of the group extensions, which ${release} does not serve`,
            advice: `grant them in ${[...new Set(moved.map(resource => MOVED[resource.split('/')[0] ?? '']))].join(', ')}`,
          },
        ]
  })
}

/** Groups to which the resources of `extensions` moved. */
const MOVED: Readonly<Record<string, string>> = {
  daemonsets: 'apps',
  deployments: 'apps',
  replicasets: 'apps',
  ingresses: 'networking.k8s.io',
  networkpolicies: 'networking.k8s.io',
}

const ruleMatches = ({ apiGroups, resources }: JsonObject, group: string, resource: string): boolean =>
  textsIn(apiGroups).some(each => each === group || each === '*') && textsIn(resources).some(each => each === resource || each === '*')

/**
 * Reports whether a former version of Kubernetes no longer serves any of the resources. The version `*` stands for all.
 */
function isGone(group: string, version: string, resources: readonly string[], release: Release): boolean {
  const versions = Object.keys(LIFECYCLES).filter(
    apiVersion => apiVersion === apiVersionOf({ group, version }) || (version === '*' && apiVersion.startsWith(`${group}/`)),
  )
  if (group === '*' || versions.length === 0) return false
  const kinds = versions.flatMap(apiVersion => Object.keys(LIFECYCLES[apiVersion] ?? {}).map(kind => ({ apiVersion, kind })))
  const asked = kinds.filter(({ kind }) =>
    resources.some(resource => resource.startsWith('*') || pluralsOf(kind).includes(resource.split('/')[0] ?? '')),
  )
  return asked.length > 0 && asked.every(name => standingIn(release, name)?.state === 'removed')
}

/**
 * Returns the plural of a kind, by the rules for all kinds of Kubernetes: `Ingress` is `ingresses`, `NetworkPolicy` is
 * `networkpolicies`.
 */
function pluralsOf(kind: string): string[] {
  const lower = kind.toLowerCase()
  const known = OLD_VERSIONS.filter(old => old.kind === kind).map(({ into }) => into.resource)
  return [...known, lower.endsWith('s') ? `${lower}es` : lower.endsWith('y') ? `${lower.slice(0, -1)}ies` : `${lower}s`]
}
