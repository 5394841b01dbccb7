import type { Steps } from '../../../lib/steps.ts'
import { setMember } from '../../../meta/equal.ts'
import type { KubeObject } from '../../../meta/object.ts'
import type { ApiStruct } from '../checks.ts'
import { roundResources } from '../resource-list.ts'

const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio']

/** Of containers: a limit by default is the maximum; a request by default is that limit, else the minimum. */
export function* setLimitRangeDefaults(limitRange: KubeObject): Steps<void> {
  const limits: ApiStruct[] = limitRange.spec?.limits ?? []
  for (const item of limits) {
    if (item.type === 'Container') {
      item.default = fill(item.default, item.max)
      yield
      const request = fill(item.defaultRequest, item.default)
      yield
      item.defaultRequest = fill(request, item.min)
      yield
      for (const list of ['default', 'defaultRequest']) if (item[list] === undefined) delete item[list]
    }
    for (const list of LISTS) {
      roundResources(item[list])
      yield
    }
  }
}

type List = Record<string, string> | undefined

function fill(list: List, from: List): List {
  if (from === undefined) return list
  if (list === undefined) return Object.keys(from).length > 0 ? { ...from } : undefined
  const filled = list
  for (const [name, quantity] of Object.entries(from)) if (!Object.hasOwn(filled, name)) setMember(filled, name, quantity)
  return filled
}
