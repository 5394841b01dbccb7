import { type FieldError, invalid, notSupported, required } from '../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../meta/field-path.ts'
import { isDns1123Subdomain } from '../meta/names.ts'
import { LEVELS, STAGES } from './policy.ts'

/** A policy before validation: levels and stages may be any text. */
export interface GivenPolicy {
  /** The first matching rule decides. Null counts as empty. */
  readonly rules?: readonly GivenRule[] | null
  /** Stages that no rule writes. */
  readonly omitStages?: readonly string[]
  /** Default of the rules. */
  readonly omitManagedFields?: boolean
}

/** A rule before validation. */
interface GivenRule {
  /** Required. */
  readonly level?: string
  /** Paths, or prefixes that end with `*`. Exclusive with resources and namespaces. */
  readonly nonResourceURLs?: readonly string[]
  /** The empty string stands for cluster-scoped resources. */
  readonly namespaces?: readonly string[]
  /** Groups with resources, and names of objects. */
  readonly resources?: readonly {
    readonly group?: string
    readonly resources?: readonly string[]
    readonly resourceNames?: readonly string[]
  }[]
  /** Stages that this rule omits in addition. */
  readonly omitStages?: readonly string[]
}

/** Returns all errors of a policy, in upstream's order and with its messages. */
export function validateAuditPolicy({ rules, omitStages = [] }: GivenPolicy): FieldError[] {
  const path = fieldPath('rules')
  return [...stageErrors(omitStages, fieldPath('omitStages')), ...(rules ?? []).flatMap((rule, i) => ruleErrors(rule, path.index(i)))]
}

/** Returns the errors of a rule, in upstream's order. */
function ruleErrors(
  { level = '', nonResourceURLs = [], namespaces = [], resources = [], omitStages = [] }: GivenRule,
  path: FieldPath,
): FieldError[] {
  const urls = path.child('nonResourceURLs')
  const isBoth = nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)
  return [
    ...levelErrors(level, path.child('level')),
    ...nonResourceURLs.flatMap((url, i) => urlErrors(url, urls.index(i))),
    ...resources.flatMap(one => resourceErrors(one, path.child('resources'))),
    ...stageErrors(omitStages, path.child('omitStages')),
    ...(isBoth ? [invalid(urls, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs')] : []),
  ]
}

/** Returns the error of a level. Unlike other enums it is required. */
function levelErrors(level: string, path: FieldPath): FieldError[] {
  if (level === '') return [required(path)]
  return isOneOf(LEVELS, level) ? [] : [notSupported(path, level, LEVELS)]
}

/** Returns the errors of a pattern of non-resource paths. */
function urlErrors(url: string, path: FieldPath): FieldError[] {
  if (url === '*') return []
  return [
    ...(url.startsWith('/') ? [] : [invalid(path, url, "non-resource URL rules must begin with a '/' character")]),
    ...(url.slice(0, -1).includes('*')
      ? [invalid(path, url, "non-resource URL wildcards '*' must be the final character of the rule")]
      : []),
  ]
}

/** As upstream, without the index of the entry. */
function resourceErrors(
  { group = '', resources = [], resourceNames = [] }: NonNullable<GivenRule['resources']>[number],
  path: FieldPath,
): FieldError[] {
  const faults = group === '' ? [] : isDns1123Subdomain(group)
  return [
    ...(faults.length > 0 ? [invalid(path.child('group'), group, faults.join(','))] : []),
    ...(resourceNames.length > 0 && resources.length === 0
      ? [invalid(path.child('resourceNames'), resourceNames, 'using resourceNames requires at least one resource')]
      : []),
  ]
}

const stageErrors = (stages: readonly string[], path: FieldPath): FieldError[] =>
  stages.flatMap((stage, i) => (isOneOf(STAGES, stage) ? [] : [invalid(path.index(i), stage, `allowed stages are ${STAGES.join(',')}`)]))

const isOneOf = (list: readonly string[], text: string): boolean => list.includes(text)
