import type { Json, JsonObject } from '../../../../meta/object.ts'
import { decode } from '../../../../schema/decode.ts'
import type { ApiStruct } from '../../../core/checks.ts'
import { types } from '../../../types.ts'
import { parseAnnotation } from './annotation-lists.ts'

const RULES = ['ScaleUp', 'ScaleDown'] as const
const RULE_MEMBERS = ['StabilizationWindowSeconds', 'SelectPolicy', 'Policies', 'Tolerance'] as const
const POLICY_MEMBERS = ['Type', 'Value', 'PeriodSeconds'] as const

const lower = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)

/** The members under their names in Go, which kube-apiserver writes there; null where there is none. */
const capitalized = (value: ApiStruct, members: readonly string[], print = (member: unknown, _name: string): unknown => member): ApiStruct =>
  Object.fromEntries(members.map(name => [name, print(value[lower(name)] ?? null, name)]))

const printRules = (rules: unknown): unknown =>
  rules &&
  capitalized(rules, RULE_MEMBERS, (member, name) =>
    name === 'Policies' && Array.isArray(member) ? member.map(policy => capitalized(policy as ApiStruct, POLICY_MEMBERS)) : member,
  )

export const writeBehavior = (behavior: ApiStruct): string => JSON.stringify(capitalized(behavior, RULES, printRules))

/** The members that are there, under the names of the API. Go reads names in any case. */
function named(value: ApiStruct, members: readonly string[]): ApiStruct {
  const byName = new Map(Object.entries((value ?? {}) as JsonObject).map(([key, member]) => [key.toLowerCase(), member]))
  return Object.fromEntries(members.flatMap(name => (byName.get(name.toLowerCase()) == null ? [] : [[lower(name), byName.get(name.toLowerCase())]])))
}

function readRules(value: ApiStruct): ApiStruct {
  if (typeof value !== 'object' || Array.isArray(value)) return value // no rules, as decoding will find
  const rules = named(value, RULE_MEMBERS)
  return Array.isArray(rules.policies) ? { ...rules, policies: rules.policies.map((policy: ApiStruct) => named(policy, POLICY_MEMBERS)) } : rules
}

/** Undefined where nothing can be read, or nothing is said. */
export function readBehavior(text: string | undefined): JsonObject | undefined {
  const both = named(parseAnnotation(text) as ApiStruct, RULES)
  const rules = Object.entries(both).map(([name, value]) => [name, readRules(value)])
  if (rules.length === 0) return undefined
  try {
    return decode(types.type('autoscalingv2.HorizontalPodAutoscalerBehavior'), Object.fromEntries(rules) as Json)
  } catch {
    return undefined
  }
}
