import type { LimitRange } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { setMember } from '../../../meta/equal.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { roundResources } from '../resource-list.ts'
import { validateLimitRange } from './validation.ts'

const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const

/**
 * Sets defaults of limits of type Container: the default limit is the maximum, and the default request is the default limit or else the minimum. Runs in steps,
 * as lists may be long. Source: pkg/apis/core/v1/defaults.go in k8s.io/kubernetes.
 */
function* setLimitRangeDefaults({ spec }: LimitRange): Steps<void> {
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

/** Adds the members of `from` that `list` lacks, in place. Returns undefined only if `list` is undefined and `from` has no members. */
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

/** Names a limit range without a name after its UID, which is unique. */
function nameIt({ metadata }: LimitRange): void {
  if (!metadata.name && metadata.uid !== undefined) metadata.name = metadata.uid
}

const v1: Version<LimitRange> = {
  group: '',
  name: 'v1',
  kind: 'LimitRange',
  names: { plural: 'limitranges', singular: 'limitrange', shortNames: ['limits'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.LimitRange'),
  setDefaults: setLimitRangeDefaults,
}

/**
 * Limits and defaults for the resources of pods and claims in a namespace. Enforced by admission-plugin.ts.
 * https://kubernetes.io/docs/concepts/policy/limit-range/
 * Source of its rules: pkg/registry/core/limitrange.
 */
export const limitRangeResource = defineResource<LimitRange>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'limitranges', version: v1 },
  strategy: { allowCreateOnUpdate: true, metaRounds: ['whole'], prepare: nameIt, validate: next => validateLimitRange(next) },
})
