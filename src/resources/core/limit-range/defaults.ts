import type { LimitRange } from '../../../api/core/v1.types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { setMember } from '../../../meta/equal.ts'
import { roundResources } from '../resource-list.ts'

const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const

/**
 * Sets defaults of limits of type Container: the default limit is the maximum, and the default request is the default
 * limit or else the minimum. Runs in steps, as lists may be long. Source: pkg/apis/core/v1/defaults.go in
 * k8s.io/kubernetes.
 */
export function* setLimitRangeDefaults({ spec }: LimitRange): Steps<void> {
  for (const item of spec.limits ?? []) {
    if (item.type === 'Container') {
      const limit = yield* fillMissing(item.default, item.max)
      if (limit) item.default = limit
      const request = yield* fillMissing(item.defaultRequest, limit)
      const atLeast = yield* fillMissing(request, item.min)
      if (atLeast) item.defaultRequest = atLeast
    }
    for (const list of LISTS) {
      roundResources(item[list])
      yield
    }
  }
}

type ResourceList = Record<string, string> | undefined

/**
 * Adds the members of `from` that `list` lacks, in place. Returns undefined only if `list` is undefined and `from` has
 * no members.
 */
function* fillMissing(list: ResourceList, from: ResourceList): Steps<ResourceList> {
  if (from === undefined) return list
  const filled = list ?? {}
  let isEmpty = list === undefined
  for (const name in from) {
    isEmpty = false
    if (!Object.hasOwn(filled, name)) setMember(filled, name, from[name] ?? '')
    if (isStepDone()) yield
  }
  return isEmpty ? undefined : filled
}
