import { isJsonObject, type Json, type JsonObject } from '../../../../meta/object.ts'
import { decodeAs } from '../../../../schema/decode-as.ts'
import { types } from '../../../types.ts'
import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '../../v2.types.ts'
import { parseAnnotation } from './annotation-lists.ts'

/** Names of members in Go. The API writes them with a small first letter. */
const RULES = ['ScaleUp', 'ScaleDown']
const RULE_MEMBERS = ['StabilizationWindowSeconds', 'SelectPolicy', 'Policies', 'Tolerance']
const POLICY_MEMBERS = ['Type', 'Value', 'PeriodSeconds']

const lower = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)

/** As kube-apiserver writes rules there: under their names in Go, and null where there is none. */
const printRules = (rules: HPAScalingRules | undefined): object | null =>
  rules
    ? {
        StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
        SelectPolicy: rules.selectPolicy ?? null,
        Policies: rules.policies?.map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds })) ?? null,
        Tolerance: rules.tolerance ?? null,
      }
    : null

/** The behaviour as the JSON of an annotation, in Go’s order of members. */
export const writeBehavior = ({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): string =>
  JSON.stringify({ ScaleUp: printRules(scaleUp), ScaleDown: printRules(scaleDown) })

/** The members that are there, under the names of the API. Go reads names in any case. */
function named(value: Json | undefined, members: readonly string[]): JsonObject {
  const byName = new Map(Object.entries(value ?? {}).map(([key, member]) => [key.toLowerCase(), member]))
  return Object.fromEntries(
    members.flatMap((name): [string, Json][] => {
      const member = byName.get(name.toLowerCase()) ?? null
      return member === null ? [] : [[lower(name), member]]
    }),
  )
}

/** What are no rules stays, as decoding will find. */
function readRules(value: Json): Json {
  if (!isJsonObject(value)) return value
  const rules = named(value, RULE_MEMBERS)
  return Array.isArray(rules.policies) ? { ...rules, policies: rules.policies.map(policy => named(policy, POLICY_MEMBERS)) } : rules
}

/** Undefined where nothing can be read, or nothing is said. */
export function readBehavior(text: string | undefined): HorizontalPodAutoscalerBehavior | undefined {
  const both = named(parseAnnotation(text), RULES)
  const rules = Object.entries(both).map(([name, value]) => [name, readRules(value)])
  if (rules.length === 0) return undefined
  try {
    return decodeAs<HorizontalPodAutoscalerBehavior>(types.type('autoscalingv2.HorizontalPodAutoscalerBehavior'), Object.fromEntries(rules))
  } catch {
    return undefined
  }
}
