import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { setLimitRangeDefaults } from './defaults.ts'
import { validateLimitRange } from './validation.ts'

const v1: Version = {
  group: '',
  name: 'v1',
  kind: 'LimitRange',
  names: { plural: 'limitranges', singular: 'limitrange', shortNames: ['limits'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.LimitRange'),
  setDefaults: setLimitRangeDefaults,
}

export const limitRangeResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'limitranges', version: v1 },
  strategy: { validate: next => validateLimitRange(next) },
}
