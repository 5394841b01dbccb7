import type { PolicyRule } from '../../../api/rbac/v1.types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'

const ALL = '*'

/** A list of a rule that is indexed. */
interface Dimension {
  /** Values under which a rule is indexed. */
  values(rule: PolicyRule): readonly string[]
  /** Values of which every covering rule has at least one. Undefined if any rule may cover this one. */
  needed(rule: PolicyRule): readonly string[] | undefined
}

/** Index value of rules without resourceNames. */
const ANY_NAME = ''

const firstOrAll = (list: readonly string[] | null | undefined): readonly string[] | undefined =>
  list?.[0] === undefined ? undefined : [list[0], ALL]

const DIMENSIONS: readonly Dimension[] = [
  { values: rule => rule.verbs ?? [], needed: rule => firstOrAll(rule.verbs) },
  { values: rule => rule.apiGroups ?? [], needed: rule => firstOrAll(rule.apiGroups) },
  {
    values: rule => rule.resources ?? [],
    needed({ resources }) {
      const slash = resources?.[0]?.indexOf('/') ?? -1
      return slash < 0 ? firstOrAll(resources) : [...(firstOrAll(resources) ?? []), `*${resources?.[0]?.slice(slash)}`]
    },
  },
  {
    values: ({ resourceNames = [] }) => (resourceNames.length === 0 ? [ANY_NAME] : resourceNames),
    needed: ({ resourceNames }) => (resourceNames?.[0] === undefined ? [ANY_NAME] : [resourceNames[0], ANY_NAME]),
  },
  {
    values: ({ nonResourceURLs = [] }) => nonResourceURLs.map(url => (url.endsWith(ALL) ? ALL : url)),
    needed: rule => firstOrAll(rule.nonResourceURLs),
  },
]

/** Up to this number, rules are compared without an index. */
const FEW = 16

/** Index that finds the rules that may cover another one without scanning all of them. */
export interface CoveringRules {
  candidates(rule: PolicyRule): readonly PolicyRule[]
}

/** Indexes rules by each of their lists. Duplicates are dropped. Runs in steps. */
export function* indexCoveringRules(all: readonly PolicyRule[]): Steps<CoveringRules> {
  if (all.length <= FEW) return { candidates: () => all }
  const distinct = new Map<string, PolicyRule>()
  for (const rule of all) {
    distinct.set(JSON.stringify(rule), rule)
    yield
  }
  const rules = [...distinct.values()]
  const indices: [Dimension, Map<string, PolicyRule[]>][] = []
  for (const dimension of DIMENSIONS) {
    const byValue = new Map<string, PolicyRule[]>()
    for (const rule of rules)
      for (const value of new Set(dimension.values(rule))) {
        if (isStepDone()) yield
        const known = byValue.get(value)
        if (known === undefined) byValue.set(value, [rule])
        else known.push(rule)
      }
    indices.push([dimension, byValue])
  }
  return {
    candidates(rule) {
      let least = rules
      for (const [dimension, byValue] of indices) {
        const lists = dimension.needed(rule)?.map(value => byValue.get(value) ?? [])
        if (lists !== undefined && lists.reduce((sum, list) => sum + list.length, 0) < least.length) least = lists.flat()
      }
      return least
    },
  }
}
