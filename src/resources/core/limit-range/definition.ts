import type { LimitRange } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { setLimitRangeDefaults } from './defaults.ts'
import { validateLimitRange } from './validation.ts'

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
