import type { PolicyRule } from '../../../api/rbac/v1.types.ts'
import { runAtOnce, type Steps } from '../../../lib/steps.ts'
import { type CoveringRules, indexCoveringRules } from './covering-rules.ts'
import { coversPath } from './policy.ts'

const ALL = '*'

/** Splits a rule into rules with one verb and one resource, name or path each. */
function* singleRights(rule: PolicyRule): Generator<PolicyRule> {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs ?? []) {
        const one = { verbs: [verb], apiGroups: [group], resources: [resource] }
        if (resourceNames.length === 0) yield one
        else for (const name of resourceNames) yield { ...one, resourceNames: [name] }
      }
  for (const url of nonResourceURLs) for (const verb of verbs ?? []) yield { verbs: [verb], nonResourceURLs: [url] }
}

type RuleList = readonly string[] | null | undefined

/** Longer lists are searched with a Set. */
const SHORT = 16
const sets = new WeakMap<readonly string[], ReadonlySet<string>>()

/** Whether a list contains a value. The Set of a long list is cached with the list: stored rules never change. */
function includes(list: RuleList, text: string): boolean {
  if (!list) return false
  if (list.length <= SHORT) return list.includes(text)
  let set = sets.get(list)
  if (set === undefined) {
    set = new Set(list)
    sets.set(list, set)
  }
  return set.has(text)
}

const hasAll = (owned: RuleList, wanted: RuleList): boolean => (wanted ?? []).every(one => includes(owned, one))
const hasAllOrStar = (owned: RuleList, wanted: RuleList): boolean => includes(owned, ALL) || hasAll(owned, wanted)

const coversResource = (owned: RuleList, resource: string): boolean => {
  const slash = resource.indexOf('/')
  return includes(owned, ALL) || includes(owned, resource) || (slash >= 0 && includes(owned, `*${resource.slice(slash)}`))
}

/** Whether the owner covers everything but the paths. Linear in the length of the rule. */
function coversResources(owner: PolicyRule, rule: PolicyRule): boolean {
  const anyName = (owner.resourceNames?.length ?? 0) === 0
  return (
    hasAllOrStar(owner.verbs, rule.verbs) &&
    hasAllOrStar(owner.apiGroups, rule.apiGroups) &&
    (rule.resources ?? []).every(resource => coversResource(owner.resources, resource)) &&
    (anyName || ((rule.resourceNames?.length ?? 0) > 0 && hasAll(owner.resourceNames, rule.resourceNames)))
  )
}

/**
 * Whether all paths are covered. A path that is not listed literally is compared with every owned path, which may end
 * in `*`. One step per path.
 */
function* coversPaths(owned: RuleList, wanted: RuleList): Steps<boolean> {
  for (const url of wanted ?? []) {
    if (!includes(owned, url) && !owned?.some(path => coversPath(path, url))) return false
    yield
  }
  return true
}

/**
 * Whether a single owned rule covers the whole rule. Several rules may cover it together; `missingRights` therefore
 * also compares individual rights.
 */
function* isCovered(owned: CoveringRules, rule: PolicyRule): Steps<boolean> {
  // A step per rule, because candidates may be empty.
  yield
  for (const owner of owned.candidates(rule)) {
    if (coversResources(owner, rule) && (yield* coversPaths(owner.nonResourceURLs, rule.nonResourceURLs))) return true
    yield
  }
  return false
}

/** Rights that a user lacks. */
export interface MissingRights {
  /** One rule per right. */
  readonly rules: readonly PolicyRule[]
  /**
   * Whether the limit was exceeded. A rule has as many rights as its groups, resources, verbs and names multiply to.
   */
  readonly areMore: boolean
}

/**
 * Returns the wanted rights that the owned rules do not cover. Runs in steps, because clients send the rules. Compares
 * at most `limit` individual rights; a rule that one owned rule covers as a whole does not count. Source:
 * validation.Covers in k8s.io/component-helpers, auth/rbac/validation.
 */
export function* missingRights(owned: readonly PolicyRule[], wanted: readonly PolicyRule[], limit: number): Steps<MissingRights> {
  const rules: PolicyRule[] = []
  const index = yield* indexCoveringRules(owned)
  let compared = 0
  for (const rule of wanted) {
    if (yield* isCovered(index, rule)) continue
    for (const single of singleRights(rule)) {
      if (++compared > limit) return { rules, areMore: true }
      if (!(yield* isCovered(index, single))) rules.push(single)
    }
  }
  return { rules, areMore: false }
}

/** Same as `missingRights` without steps or limit, for rules that do not come from clients. */
export const missingRules = (owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] =>
  runAtOnce(missingRights(owned, wanted, Number.POSITIVE_INFINITY)).rules
