import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '../../../../api/autoscaling/v2.types.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../api/meta/object.ts'
import { types } from '../../../../catalog/types.ts'
import { decodeAs } from '../../../../schema/decode-as.ts'
import { parseAnnotation } from './annotation-lists.ts'

/** Go's names of the members. In the API they begin with a lower-case letter. */
const RULES = ['ScaleUp', 'ScaleDown']
const RULE_MEMBERS = ['StabilizationWindowSeconds', 'SelectPolicy', 'Policies', 'Tolerance']
const POLICY_MEMBERS = ['Type', 'Value', 'PeriodSeconds']

const lower = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)

/** Prints rules as kube-apiserver writes them there: with Go's names, and null if absent. */
const printRules = (rules: HPAScalingRules | undefined): object | null =>
  rules
    ? {
        StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
        SelectPolicy: rules.selectPolicy ?? null,
        Policies:
          rules.policies?.map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds })) ?? null,
        Tolerance: rules.tolerance ?? null,
      }
    : null

/** Prints the behavior as the JSON of an annotation, with members in Go’s order. */
export const writeBehavior = ({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): string =>
  JSON.stringify({ ScaleUp: printRules(scaleUp), ScaleDown: printRules(scaleDown) })

/** Returns the members that are present, under their names in the API. Names are matched ignoring case, as in Go. */
function pickMembers(value: Json | undefined, members: readonly string[]): JsonObject {
  const byName = new Map(Object.entries(value ?? {}).map(([key, member]) => [key.toLowerCase(), member]))
  return Object.fromEntries(
    members.flatMap((name): [string, Json][] => {
      const member = byName.get(name.toLowerCase()) ?? null
      return member === null ? [] : [[lower(name), member]]
    }),
  )
}

/** A value that is not an object is returned as it is; decoding reports it. */
function readRules(value: Json): Json {
  if (!isJsonObject(value)) return value
  const rules = pickMembers(value, RULE_MEMBERS)
  return Array.isArray(rules.policies) ? { ...rules, policies: rules.policies.map(policy => pickMembers(policy, POLICY_MEMBERS)) } : rules
}

/** Parses the behavior in an annotation. Undefined if it cannot be parsed or is empty. */
export function readBehavior(text: string | undefined): HorizontalPodAutoscalerBehavior | undefined {
  const both = pickMembers(parseAnnotation(text), RULES)
  const rules = Object.entries(both).map(([name, value]) => [name, readRules(value)])
  if (rules.length === 0) return undefined
  try {
    return decodeAs<HorizontalPodAutoscalerBehavior>(types.type('autoscalingv2.HorizontalPodAutoscalerBehavior'), Object.fromEntries(rules))
  } catch {
    return undefined
  }
}
